#include <cerrno>

#include "inject/attachment.h"
#include "inject/export.h"
#include "inject/name_table.h"
#include "inject/nvtx_events.h"
#include "inject/thread_chunk.h"

/// What the Python part for PyTorch (src/inject/torch) calls through ctypes, holding Python's lock. Names are numbers,
/// so that a range costs no look at a text.
namespace sonde::inject {
namespace {

/// The domains by which the recorder's readers know what these ranges are; 0 where there is no room for them.
constinit std::atomic<uint16_t> module_domain{};
constinit std::atomic<uint16_t> step_domain{};

uint16_t make_domain(const char* name) noexcept {
  return static_cast<uint16_t>(register_name(domains, 0, text_of(name)));
}

bool begin() noexcept {
  if (attachment.header == nullptr || (attachment.header->wanted & wire::kWantNvtx) == 0) return false;
  if (module_domain.load() != 0) return true;
  step_domain.store(make_domain("torch.step"));
  module_domain.store(make_domain("torch.module"));
  return module_domain.load() != 0 && step_domain.load() != 0;
}

nvtx::EventAttributes attributes_of(uint32_t name) noexcept {
  nvtx::EventAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.message_type = nvtx::kRegistered;
  attributes.message.registered = reinterpret_cast<void*>(static_cast<uintptr_t>(name));
  return attributes;
}

void write_past_range(uint16_t domain, int64_t start, const Text& text) noexcept {
  const auto bytes =
      static_cast<uint32_t>(sizeof(wire::RecordHead) + sizeof(wire::PastRangeBody)) + wire::padded(text.bytes);
  std::byte* at = begin_record(bytes);
  if (at == nullptr) return;
  at = put_head(at, wire::Kind::past_range, bytes, domain, 0, start);
  put_text(put(at, wire::PastRangeBody{now_ns(), text.bytes, {}}), text);
  commit_record(bytes);
}

}  // namespace
}  // namespace sonde::inject

// NOLINTBEGIN(misc-use-internal-linkage): they are found by name.
extern "C" {

/// To be called before the others; they are called only where it gives 1.
SONDE_EXPORT int sonde_torch_begin() noexcept {
  const int error = errno;
  const bool begun = sonde::inject::begin();
  errno = error;
  return begun ? 1 : 0;
}

/// The number of a name, 0 where there is no room for more.
SONDE_EXPORT uint32_t sonde_torch_name(const char* text) noexcept {
  using namespace sonde::inject;
  return register_name(strings, module_domain.load(std::memory_order_relaxed), text_of(text));
}

SONDE_EXPORT void sonde_torch_push(uint32_t name) noexcept {
  using namespace sonde::inject;
  const nvtx::EventAttributes attributes = attributes_of(name);
  push_range(module_domain.load(std::memory_order_relaxed), &attributes);
}

SONDE_EXPORT void sonde_torch_pop() noexcept {
  using namespace sonde::inject;
  pop_range(module_domain.load(std::memory_order_relaxed));
}

SONDE_EXPORT void sonde_torch_mark(const char* text) noexcept {
  using namespace sonde::inject;
  nvtx::EventAttributes attributes{};
  attributes.size = sizeof attributes;
  attributes.message_type = nvtx::kNarrow;
  attributes.message.narrow = text;
  mark(module_domain.load(std::memory_order_relaxed), &attributes);
}

/// Now, in nanoseconds; 0 while nothing is recorded.
SONDE_EXPORT int64_t sonde_torch_time() noexcept {
  using namespace sonde::inject;
  return records(sonde::wire::kWantNvtx) ? now_ns() : 0;
}

/// A range of this thread that began at `start`, a time of sonde_torch_time(), and ends now. Nothing where it is 0.
SONDE_EXPORT void sonde_torch_past_range(const char* text, int64_t start) noexcept {
  using namespace sonde::inject;
  if (start == 0 || !records(sonde::wire::kWantNvtx)) return;
  const auto domain = static_cast<uint16_t>(known_name(domains, step_domain.load(std::memory_order_relaxed)));
  write_past_range(domain, start, text_of(text));
}

}  // extern "C"
// NOLINTEND(misc-use-internal-linkage)
