#include "analyses/ranges/projected_ranges.h"
#include "analyses/ranges/range_label.h"
#include "analyses/tables/grouped_values.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport nvtx_gpu_proj_sum_report;

namespace nvtx_gpu_proj_sum {
namespace {

using StyledLabel = std::pair<RangeLabel, uint8_t>;

/// Sums of a name's ranges beside the distribution of their projections.
struct Sums {
  int64_t host_ns = 0;
  int64_t ops = 0;
  int64_t levels = 0;
  int64_t children = 0;
};

struct Projections {
  Grouping<StyledLabel> groups;
  std::vector<Distribution> times;
  std::vector<Sums> sums;
};

Fields fields(const ReportArguments&) { return kProjectionFields; }

Projections group_projections(const Trace& trace) {
  const ProjectedRanges p = project_ranges(trace);
  Projections result;
  GroupedValues times;
  for (const Row row : p.rows) {
    const uint32_t group = result.groups.group_of({label_of_range(trace, row), trace.ranges.style[row]});
    if (group == result.sums.size()) result.sums.emplace_back();
    times.add(group, p.duration(row));
    Sums& sums = result.sums[group];
    sums.host_ns += trace.ranges.end[row] - trace.ranges.start[row];
    sums.ops += p.work.ops[row];
    sums.levels += p.nesting.level[row];
    sums.children += p.children[row];
  }
  result.times = times.distributions(result.groups.size());
  return result;
}

template <typename Value>
void add_integers(Table& table, std::string name, Unit unit, size_t groups, Value value) {
  auto& column = table.integers(std::move(name), unit);
  for (size_t g = 0; g < groups; ++g) column.push_back(value(g));
}

/// Adds a sum's mean over the ranges of each group.
void add_average(Table& table, std::string name, const Projections& p, int64_t Sums::* sum) {
  auto& column = table.reals(std::move(name), Unit::none, 1);
  for (size_t g = 0; g < p.groups.size(); ++g) {
    column.push_back(static_cast<double>(p.sums[g].*sum) / static_cast<double>(p.times[g].count));
  }
}

void add_projection_columns(Table& table, const Projections& p) {
  const size_t n = p.groups.size();
  const auto ns = Unit::nanoseconds;
  add_integers(table, "Total Proj Time", ns, n, [&](size_t g) { return p.times[g].total; });
  add_integers(table, "Total Range Time", ns, n, [&](size_t g) { return p.sums[g].host_ns; });
  add_integers(table, "Range Instances", Unit::none, n, [&](size_t g) { return p.times[g].count; });
  add_spread(table, "Proj ", p.times);
}

void add_count_columns(Table& table, const Projections& p) {
  add_integers(table, "Total GPU Ops", Unit::none, p.groups.size(), [&](size_t g) { return p.sums[g].ops; });
  add_average(table, "Avg GPU Ops", p, &Sums::ops);
  add_average(table, "Avg Range Lvl", p, &Sums::levels);
  add_average(table, "Avg Num Child", p, &Sums::children);
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nvtx_gpu_proj_sum_report);
  const Projections p = group_projections(trace);
  auto& names = table.texts("Range");
  for (const auto& [label, style] : p.groups.keys()) names.push_back(table.keep(label.text_of(trace)));
  auto& styles = table.texts("Style");
  for (const auto& [label, style] : p.groups.keys()) styles.push_back(style_word(style));
  add_projection_columns(table, p);
  add_count_columns(table, p);
  table.select_rows(order_by_total(p.times, names));
  return table;
}

}  // namespace
}  // namespace nvtx_gpu_proj_sum

const StatsReport nvtx_gpu_proj_sum_report{
    .name = "nvtx_gpu_proj_sum",
    .usage = "nvtx_gpu_proj_sum",
    .title = "NVTX GPU Projection Summary",
    .description =
        R"(NVTX ranges projected from the host onto the GPU, by name. A range's projection extends from the start of the first GPU
operation (kernel, copy, memset, graph launch) that it launched to the end of the last. An operation belongs to every
range that encloses the call that launched it, on the same thread. Nested ranges are not subtracted, so sums can exceed
the run. Start/end ranges that end on another thread are omitted.

Range         domain and text, "domain:text"; ":text" in the default domain
Style         PushPop or StartEnd
Total Proj Time   sum of the projections
Total Range Time  sum of the ranges' own times on the host
Range Instances   ranges that launched GPU operations
Proj Avg, Proj Med, Proj Min, Proj Max, Proj StdDev  of one projection
Total GPU Ops, Avg GPU Ops  operations launched, in total and per range
Avg Range Lvl     average number of enclosing ranges of the thread
Avg Num Child     average number of direct child ranges that launched GPU operations)",
    .data = "NV Tools Extension (NVTX)",
    .in_default_set = false,
    .fields = nvtx_gpu_proj_sum::fields,
    .run = nvtx_gpu_proj_sum::run,
};

}  // namespace sonde
