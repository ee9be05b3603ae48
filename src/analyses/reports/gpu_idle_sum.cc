#include <algorithm>

#include "analyses/gpus/idle_totals.h"
#include "analyses/steps/run_extent.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport gpu_idle_sum_report;

namespace gpu_idle_sum {
namespace {

constexpr auto kCauses = static_cast<size_t>(IdleCause::count_);

Fields fields(const ReportArguments&) { return kIdleFields | Fields{Field::syncs}; }

/// Idle time of one GPU in the causes' order, the largest first.
void add_gpu(const Gpu& gpu, const IdleTotals::OfCauses& causes, int64_t wall_ns, Table& table) {
  std::vector<size_t> order;
  for (size_t c = 0; c < kCauses; ++c) {
    if (causes[c] > 0) order.push_back(c);
  }
  std::ranges::stable_sort(order, std::greater(), [&](size_t c) { return causes[c]; });
  auto& share = std::get<Column::Reals>(table.columns[0].values);
  auto& time = std::get<Column::Integers>(table.columns[1].values);
  auto& place = std::get<Column::Texts>(table.columns[2].values);
  auto& cause = std::get<Column::Texts>(table.columns[3].values);
  auto& title = std::get<Column::Texts>(table.columns[4].values);
  for (const size_t c : order) {
    share.push_back(100 * static_cast<double>(causes[c]) / static_cast<double>(wall_ns));
    time.push_back(causes[c]);
    place.push_back(table.keep(gpu.place));
    cause.push_back(info_of(static_cast<IdleCause>(c)).name);
    title.push_back(info_of(static_cast<IdleCause>(c)).title);
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(gpu_idle_sum_report);
  table.reals("Wall", Unit::percent, 1);
  table.integers("Idle Time", Unit::nanoseconds);
  table.texts("GPU");
  table.texts("Cause");
  table.texts("Meaning");
  const Gpus gpus = gpus_of(trace);
  const Span extent = run_extent(trace);
  const IdleTotals totals = idle_totals(trace, gpus, extent);
  for (size_t g = 0; g < gpus.gpus.size(); ++g) {
    add_gpu(gpus.gpus[g], totals.of_gpu[g], extent.second - extent.first, table);
  }
  return table;
}

}  // namespace
}  // namespace gpu_idle_sum

const StatsReport gpu_idle_sum_report{
    .name = "gpu_idle_sum",
    .usage = "gpu_idle_sum",
    .title = "GPU Idle Time by Cause",
    .description = R"(Idle time of each GPU by cause. Every idle nanosecond of the run has one cause.

Wall       share of the run, from the first event to the last
Idle Time  idle time with this cause; the rows of a GPU add up to its idle time
GPU        the GPU
Cause      before_first, after_last, profiler, queued, start, migration, data_loading, synchronization, copy, load,
           allocation, initialization, launch, api, os_call, library, range, host or unknown
Meaning    description of the cause

The cause is what the thread that launched the next GPU operation did during the idle time. If several causes apply at
once, the first in the order above counts. Time in which a thread prepares work (launch to host), up to 100 us in one
piece, counts as synchronization or copy if the thread waited for the GPU until the GPU became idle. This report is
specific to Sonde.)",
    .data = "GPU",
    .in_default_set = false,
    .fields = gpu_idle_sum::fields,
    .run = gpu_idle_sum::run,
};

}  // namespace sonde
