#include "gate/record/range_times.h"

#include <algorithm>
#include <unordered_map>

#include "analyses/ranges/range_label.h"
#include "analyses/steps/range_turns.h"
#include "gate/quantile.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

using Durations = std::map<std::string, std::vector<double>>;

bool counts(const RunPart& part, Row row) {
  const Ranges& r = part.trace.ranges;
  return is_closed(r, row) && r.end[row] >= r.start[row] && part.holds(r.start[row]) &&
         part.trace.domains[r.domain[row]].kind != DomainKind::python;
}

Durations durations_by_name(const RunPart& part) {
  Durations durations;
  std::unordered_map<NameId, std::vector<double>*> of_name;
  const Ranges& r = part.trace.ranges;
  for (Row row = 0; row < row_count(r); ++row) {
    if (!counts(part, row)) continue;
    std::vector<double>*& of = of_name[r.name[row]];
    if (of == nullptr) of = &durations[without_numbers(part.trace.name(r.name[row]))];
    of->push_back(static_cast<double>(r.end[row] - r.start[row]));
  }
  return durations;
}

RangeTimes times_of(const std::string& name, std::vector<double>& durations) {
  std::ranges::sort(durations);
  return {.name = name,
          .count = static_cast<int64_t>(durations.size()),
          .p50_ns = quantile_of_sorted(durations, 0.5),
          .p95_ns = quantile_of_sorted(durations, 0.95),
          .p99_ns = quantile_of_sorted(durations, 0.99)};
}

}  // namespace

void record_ranges(const RunPart& part, RunRecord& record) {
  for (auto& [name, durations] : durations_by_name(part)) record.ranges.push_back(times_of(name, durations));
  if (record.ranges.size() <= kMaxRangeNames) return;
  record.dropped_ranges = static_cast<int64_t>(record.ranges.size() - kMaxRangeNames);
  std::ranges::stable_sort(record.ranges, std::ranges::greater(), &RangeTimes::count);
  record.ranges.resize(kMaxRangeNames);
  std::ranges::sort(record.ranges, {}, &RangeTimes::name);
}

}  // namespace sonde::gate
