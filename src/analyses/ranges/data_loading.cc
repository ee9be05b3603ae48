#include "analyses/ranges/data_loading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "analyses/ranges/range_label.h"
#include "trace/columns.h"

namespace sonde {
namespace {

constexpr auto kNames = std::to_array<std::string_view>({
#define SONDE_DATA_LOADING_NAME(part) part,
#include "analyses/ranges/data_loading_names.inc"
#undef SONDE_DATA_LOADING_NAME
});

}  // namespace

bool loads_data(std::string_view range_name) {
  std::string lower;
  for (const char c : range_name) {
    if (c != '_' && c != ' ') lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::ranges::any_of(kNames, [&](std::string_view part) { return lower.contains(part); });
}

std::vector<Span> data_loading_spans(const Trace& trace) {
  const Ranges& r = trace.ranges;
  std::vector<uint8_t> loads(trace.names.size(), 2);
  std::vector<Span> spans;
  for (Row row = 0; row < row_count(r); ++row) {
    const bool python = trace.domains[r.domain[row]].kind == DomainKind::python;
    if (!is_push_pop(r, row) || !is_closed(r, row) || python) continue;
    uint8_t& known = loads[r.name[row]];
    if (known == 2) known = static_cast<uint8_t>(loads_data(trace.name(r.name[row])));
    if (known != 0) spans.emplace_back(r.start[row], r.end[row]);
  }
  merge_spans(spans);
  return spans;
}

}  // namespace sonde
