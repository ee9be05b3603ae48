#include <algorithm>
#include <map>
#include <numeric>

#include "analyses/kernels/counter_means.h"
#include "analyses/modules/module_tree.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport gpu_metric_module_sum_report;

namespace gpu_metric_module_sum {
namespace {

/// How many modules are listed without :rows.
constexpr int64_t kDefaultRows = 10;

Fields fields(const ReportArguments&) { return kModuleFields | Fields{Field::counters}; }

/// Most device time first.
std::vector<uint32_t> listed(const ModuleTree& tree, int64_t limit) {
  std::vector<uint32_t> order;
  for (uint32_t m = 0; m < tree.modules.size(); ++m) {
    if (tree.modules[m].total.device_ns > 0) order.push_back(m);
  }
  std::ranges::stable_sort(order, std::greater(), [&](uint32_t m) { return tree.modules[m].total.device_ns; });
  if (limit >= 0 && static_cast<size_t>(limit) < order.size()) order.resize(static_cast<size_t>(limit));
  return order;
}

/// When operations of a module, or below it, ran on a GPU.
using SpansOf = std::map<std::pair<uint32_t, uint32_t>, std::vector<Span>>;  ///< (module, GPU) -> disjoint spans

SpansOf work_of(const Trace& trace, const Gpus& gpus, const ModuleTree& tree, const std::vector<uint32_t>& modules) {
  std::vector<uint8_t> wanted(tree.modules.size(), 0);
  for (const uint32_t m : modules) wanted[m] = 1;
  SpansOf work;
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < row_count(ops); ++row) {
      uint32_t module = ops.launch[row] == kNone ? kNone : tree.of_call[ops.launch[row]];
      for (; module != kNone; module = tree.modules[module].parent) {
        if (wanted[module] == 0) continue;
        work[{module, gpus.of_stream[ops.stream[row]]}].emplace_back(ops.start[row], ops.end[row]);
      }
    }
  });
  for (auto& [key, spans] : work) merge_spans(spans);
  return work;
}

struct Columns {
  explicit Columns(Table& table)
      : average(table.reals("Avg", Unit::none, 2)),
        sampled(table.reals("Sampled", Unit::percent, 1)),
        time(table.integers("GPU Time", Unit::nanoseconds)),
        level(table.integers("Level")),
        gpu(table.texts("GPU")),
        metric(table.texts("Metric")),
        module(table.texts("Module")) {}
  Column::Reals& average;
  Column::Reals& sampled;
  Column::Integers& time;
  Column::Integers& level;
  Column::Texts& gpu;
  Column::Texts& metric;
  Column::Texts& module;
};

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(gpu_metric_module_sum_report);
  Columns columns(table);
  const std::vector<CounterSeries> series = counter_series(trace);
  if (series.empty()) return table;
  const Gpus gpus = gpus_of(trace);
  const std::vector<uint32_t> of_counter = gpus_of_counters(trace, gpus);
  const ModuleTree tree = module_tree(trace, {});
  const std::vector<uint32_t> modules = listed(tree, arguments.rows.value_or(kDefaultRows));
  const SpansOf work = work_of(trace, gpus, tree, modules);
  for (const uint32_t m : modules) {
    const std::string_view name = table.keep(tree.modules[m].name);
    for (size_t c = 0; c < series.size(); ++c) {
      const auto spans = work.find({m, of_counter[c]});
      if (spans == work.end()) continue;
      CounterIntegral sum;
      for (const Span& span : spans->second) sum += series[c].over(span);
      const int64_t time = total_ns(spans->second);
      columns.average.push_back(sum.mean().value_or(kAbsent));
      columns.sampled.push_back(time > 0 ? 100 * static_cast<double>(sum.covered_ns) / static_cast<double>(time)
                                         : kAbsent);
      columns.time.push_back(time);
      columns.level.push_back(tree.modules[m].depth);
      columns.gpu.push_back(table.keep(gpus.gpus[of_counter[c]].place));
      columns.metric.push_back(trace.name(trace.counters[c].name));
      columns.module.push_back(name);
    }
  }
  return table;
}

}  // namespace
}  // namespace gpu_metric_module_sum

const StatsReport gpu_metric_module_sum_report{
    .name = "gpu_metric_module_sum",
    .usage = "gpu_metric_module_sum[:rows=<limit>]",
    .title = "GPU Metrics by Module",
    .description =
        R"(GPU metrics sampled while the GPU work of each module ran; modules with the most device time first.

  :rows=<limit>  number of modules to list (default: 10; -1 lists all)

Avg       mean of the metric over GPU Time, weighted by time (see `gpu_metric_step_sum`)
Sampled   share of GPU Time that samples cover
GPU Time  time in which an operation ran on this GPU that was launched in the module or its submodules
Level     level of the module in the tree, 0 at the top (see `sonde modules`)
GPU       the GPU
Metric    the profiler's name of the metric, with its unit
Module    name of the module's ranges

Counters belong to the GPU, not to a module: other work at the same time counts too. If a kernel is shorter than the
sampling interval, the other work within that interval counts too. This report is specific to Sonde.)",
    .data = "GPU metrics (nsys: --gpu-metrics-devices=all) with work in ranges",
    .in_default_set = false,
    .fields = gpu_metric_module_sum::fields,
    .run = gpu_metric_module_sum::run,
};

}  // namespace sonde
