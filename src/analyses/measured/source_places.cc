#include "analyses/measured/source_places.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace sonde {
namespace {

/// Through the function's line table where the report has one.
SourcePlace place_of(const Trace& trace, const KernelProfile& kernel, uint64_t address) {
  if (kernel.function == kNone) return {.address = address};
  const DeviceFunction& function = trace.device_functions[kernel.function];
  const uint64_t offset = address - function.address;
  const auto after = std::ranges::upper_bound(function.lines, offset, {}, &DeviceFunction::Line::offset);
  if (address < function.address || after == function.lines.begin()) return {.address = address};
  return {.file = std::prev(after)->file, .line = std::prev(after)->line};
}

}  // namespace

void for_each_place(const Trace& trace, const KernelProfile& kernel, const Metric* metric,
                    const std::function<void(const SourcePlace&, double)>& f) {
  if (metric == nullptr) return;
  for (const MetricInstance& part : metric->instances) {
    const auto address = part.key.exact();
    const auto value = part.value.number();
    if (address && value) f(place_of(trace, kernel, *address), *value);
  }
}

std::string place_text(const Trace& trace, const KernelProfile& kernel, const SourcePlace& place) {
  if (place.file != kNone) return fmt::format("{}:{}", trace.name(place.file), place.line);
  if (kernel.function == kNone) return fmt::format("{:#x}", place.address);
  const uint64_t begin = trace.device_functions[kernel.function].address;
  return place.address >= begin ? fmt::format("+{:#x}", place.address - begin) : fmt::format("{:#x}", place.address);
}

std::optional<HottestLine> hottest_line(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  std::map<SourcePlace, double> sums;
  double all = 0;
  for_each_place(trace, kernel, find_metric(trace, kernel, counter), [&](const SourcePlace& place, double value) {
    sums[place] += value;
    all += value;
  });
  const auto most = std::ranges::max_element(sums, {}, [](const auto& sum) { return sum.second; });
  if (most == sums.end() || most->first.file == kNone || all <= 0) return std::nullopt;
  return HottestLine{place_text(trace, kernel, most->first), 100 * most->second / all};
}

}  // namespace sonde
