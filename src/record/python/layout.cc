#include "record/python/layout.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sonde::record::python {
namespace {

constexpr std::array kLayouts = {
#define SONDE_PYTHON_LAYOUT(...) Layout{__VA_ARGS__},
#include "record/python/layouts.inc"
#undef SONDE_PYTHON_LAYOUT
};

/// _Py_Debug_Cookie.
constexpr std::string_view kCookie = "xdebugpy";

/// PyInterpreterState is the largest of the structures: 400 KB in 3.13.
constexpr uint64_t kMostOffset = 4'000'000;

/// Which number of the head, counted in uint64 from its begin, tells which offset (_Py_DebugOffsets of 3.13).
struct Told {
  size_t number;
  uint32_t Layout::* offset;
};
constexpr auto kTold = std::to_array<Told>({
    {5, &Layout::interpreters_head},    {8, &Layout::interpreter_next},  {9, &Layout::threads_head},
    {14, &Layout::gil_pointer},         {21, &Layout::thread_next},      {23, &Layout::frame},
    {24, &Layout::thread_id},           {25, &Layout::native_thread_id}, {26, &Layout::datastack_chunk},
    {29, &Layout::frame_back},          {30, &Layout::frame_code},       {31, &Layout::frame_at},
    {33, &Layout::frame_owner},         {35, &Layout::code_file},        {36, &Layout::code_name},
    {37, &Layout::code_qualified_name}, {38, &Layout::code_lines},       {39, &Layout::code_first_line},
    {43, &Layout::code_instructions},   {68, &Layout::text_state},
});

/// The lock is told of as a part of the interpreter: where that part begins, and two members of it.
constexpr size_t kGilNumber = 15;
constexpr auto kToldOfGil = std::to_array<Told>({{17, &Layout::gil_locked}, {18, &Layout::gil_holder}});

uint64_t number_at(std::span<const std::byte> head, size_t number) {
  uint64_t value = 0;
  std::memcpy(&value, head.data() + number * sizeof value, sizeof value);
  return value;
}

}  // namespace

const Layout* known_layout(int minor) {
  const auto* const found = std::ranges::find(kLayouts, minor, &Layout::minor);
  return found == kLayouts.end() ? nullptr : found;
}

Result<Layout> told_layout(const Layout& known, std::span<const std::byte> head) {
  if (head.size() < kToldBytes || std::memcmp(head.data(), kCookie.data(), kCookie.size()) != 0) {
    return fail("its _PyRuntime does not begin as that of CPython 3.{} does", known.minor);
  }
  Layout layout = known;
  const auto take = [&](const Told& told, uint64_t base) -> Status {
    const uint64_t offset = number_at(head, told.number) - base;
    if (offset >= kMostOffset) return fail("its _PyRuntime tells of an offset of {} bytes", offset);
    layout.*told.offset = static_cast<uint32_t>(offset);
    return {};
  };
  for (const Told& told : kTold) SONDE_TRY(take(told, 0));
  for (const Told& told : kToldOfGil) SONDE_TRY(take(told, number_at(head, kGilNumber)));
  return layout;
}

}  // namespace sonde::record::python
