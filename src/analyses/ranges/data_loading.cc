#include "analyses/ranges/data_loading.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
#define SONDE_DATA_LOADING_NAME(part) part,
#include "analyses/ranges/data_loading_names.inc"
#undef SONDE_DATA_LOADING_NAME
});

bool loads_data(std::string_view range_name) {
  std::string lower(range_name.size(), '\0');  // recordings name tens of thousands of ranges: no call per letter
  size_t length = 0;
  for (const char c : range_name) {
    if (c != '_' && c != ' ') lower[length++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  lower.resize(length);
  return std::ranges::any_of(kNames, [&](std::string_view part) { return lower.contains(part); });
}

}  // namespace

RangesThatLoadData::RangesThatLoadData(const Trace& trace) : trace_(trace), loads_(trace.names.size(), kUnknown) {}

bool RangesThatLoadData::operator()(Row row) {
  const NameId name = trace_.ranges.name[row];
  uint8_t& known = loads_[name];
  if (known == kUnknown) known = static_cast<uint8_t>(loads_data(trace_.name(name)));
  return known != 0;
}

std::vector<Span> data_loading_spans(const Trace& trace) {
  const Ranges& r = trace.ranges;
  RangesThatLoadData loads(trace);
  std::vector<Span> spans;
  for (Row row = 0; row < row_count(r); ++row) {
    if (is_named_scope(trace, row) && loads(row)) spans.emplace_back(r.start[row], r.end[row]);
  }
  merge_spans(spans);
  return spans;
}

}  // namespace sonde
