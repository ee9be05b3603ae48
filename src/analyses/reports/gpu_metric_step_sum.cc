#include <algorithm>
#include <cmath>

#include "analyses/kernels/counter_means.h"
#include "analyses/steps/run_steps.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport gpu_metric_step_sum_report;

namespace gpu_metric_step_sum {
namespace {

Fields fields(const ReportArguments&) { return kStepFields | Fields{Field::counters}; }

/// The mean of a counter in each step for which it has values.
std::vector<double> step_means(const CounterSeries& series, std::span<const Span> steps) {
  std::vector<double> means;
  for (const Span& step : steps) {
    if (const auto mean = series.over(step).mean()) means.push_back(*mean);
  }
  return means;
}

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? kAbsent : sum / static_cast<double>(values.size());
}

/// Of a sample (n - 1); 0 for one value, as in the other reports.
double stddev_of(std::span<const double> values) {
  if (values.size() < 2) return values.empty() ? kAbsent : 0;
  const double mean = mean_of(values);
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(gpu_metric_step_sum_report);
  const Gpus gpus = gpus_of(trace);
  const std::vector<uint32_t> of_counter = gpus_of_counters(trace, gpus);
  const std::vector<Span> steps = steady_steps(trace);
  const std::vector<CounterSeries> series = counter_series(trace);
  auto& whole = table.reals("Run Avg", Unit::none, 2);
  auto& count = table.integers("Steps");
  auto& mean = table.reals("Step Avg", Unit::none, 2);
  auto& least = table.reals("Step Min", Unit::none, 2);
  auto& most = table.reals("Step Max", Unit::none, 2);
  auto& spread = table.reals("Step StdDev", Unit::none, 2);
  auto& gpu = table.texts("GPU");
  auto& metric = table.texts("Metric");
  for (size_t c = 0; c < series.size(); ++c) {
    const auto of_run = series[c].over_all().mean();
    if (!of_run) continue;
    const std::vector<double> means = step_means(series[c], steps);
    whole.push_back(*of_run);
    count.push_back(static_cast<int64_t>(means.size()));
    mean.push_back(mean_of(means));
    least.push_back(means.empty() ? kAbsent : std::ranges::min(means));
    most.push_back(means.empty() ? kAbsent : std::ranges::max(means));
    spread.push_back(stddev_of(means));
    gpu.push_back(table.keep(place_of_counter(trace, gpus, of_counter[c], trace.counters[c])));
    metric.push_back(trace.name(trace.counters[c].name));
  }
  return table;
}

}  // namespace
}  // namespace gpu_metric_step_sum

const StatsReport gpu_metric_step_sum_report{
    .name = "gpu_metric_step_sum",
    .usage = "gpu_metric_step_sum",
    .title = "GPU Metrics by Step",
    .description =
        R"(Sampled GPU metrics of the run and of its steps: use of SMs, DRAM, PCIe, NVLink.

Run Avg   mean over all the time that samples cover
Steps     number of steps with samples; steps are iterations of the run's loop, without warm-up (`sonde modules`)
Step Avg, Step Min, Step Max, Step StdDev  of the means of the steps
GPU       the GPU
Metric    the profiler's name of the metric, with its unit

Means are weighted by time: each value counts for the nanoseconds of the span that it covers. A sample of a GPU metric
covers the time since the previous sample. A value that a framework wrote covers the time until the next value. Steps
shorter than the sampling interval include values of neighboring steps. This report is specific to Sonde.)",
    .data = "GPU metrics (nsys: --gpu-metrics-devices=all)",
    .in_default_set = false,
    .fields = gpu_metric_step_sum::fields,
    .run = gpu_metric_step_sum::run,
};

}  // namespace sonde
