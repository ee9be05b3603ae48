#include "record/cpu/perf_map.h"

#include <algorithm>
#include <charconv>

#include "base/files/small_file.h"

namespace sonde::record {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20U;
constexpr int kHexadecimal = 16;

}  // namespace

PerfMap::PerfMap(uint32_t process) {
  const auto text = read_small_file(fmt::format("/tmp/perf-{}.map", process), kMostBytes);
  if (!text) return;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const char* const end = line.data() + line.size();
    Function function{};
    const auto begin = std::from_chars(line.data(), end, function.begin, kHexadecimal);
    if (begin.ec != std::errc() || begin.ptr == end) continue;
    const auto bytes = std::from_chars(begin.ptr + 1, end, function.bytes, kHexadecimal);
    if (bytes.ec != std::errc() || bytes.ptr == end) continue;
    function.name = std::string(bytes.ptr + 1, end);
    functions_.push_back(std::move(function));
  }
  std::ranges::stable_sort(functions_, {}, &Function::begin);
}

std::string_view PerfMap::at(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  if (behind == functions_.begin()) return {};
  const Function& function = *std::prev(behind);
  return address - function.begin < function.bytes ? std::string_view(function.name) : std::string_view();
}

}  // namespace sonde::record
