#include <algorithm>
#include <array>

#include "analyses/gpus/gpus.h"
#include "analyses/operators/operator_sums.h"
#include "analyses/steps/run_extent.h"
#include "analyses/steps/run_steps.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport torch_step_sum_report;

namespace torch_step_sum {
namespace {

Fields fields(const ReportArguments&) { return kOperatorFields | kStepFields; }

/// The steps after the warm-up; the whole run if no step is found.
std::vector<Span> spans_of(const Trace& trace) {
  std::vector<Span> steps = steady_steps(trace);
  if (steps.empty()) steps.push_back(run_extent(trace));
  return steps;
}

/// An operator belongs to the step in which it begins.
std::vector<OperatorSums> sums_of(const Trace& trace, const std::vector<Span>& steps) {
  const OperatorCalls operators = operator_calls(trace);
  std::vector<OperatorSums> sums(steps.size());
  for (const OperatorCall& call : operators.calls) {
    const int64_t start = trace.ranges.start[call.range];
    const auto next = std::ranges::upper_bound(steps, start, {}, &Span::first);
    if (next == steps.begin() || start >= std::prev(next)->second) continue;
    sums[static_cast<size_t>(next - steps.begin()) - 1].add(operators.shapes[call.shape], call);
  }
  return sums;
}

struct StepColumn {
  std::string_view name;
  Unit unit;
  int decimals;
  double (*value)(const OperatorSums& sums, double wall_ns, double gpus);
};

constexpr auto kStepColumns = std::to_array<StepColumn>({
    {"FLOP (GFLOP)", Unit::none, 3,
     [](const OperatorSums& s, double, double) { return s.flop_calls > 0 ? s.flop / 1e9 : kAbsent; }},
    {"Compute (TFLOP/s)", Unit::none, 2,
     [](const OperatorSums& s, double wall_ns, double gpus) {
       return s.flop_calls > 0 && wall_ns > 0 ? s.flop / wall_ns / gpus / 1e3 : kAbsent;
     }},
    {"MFU", Unit::percent, 1,
     [](const OperatorSums& s, double wall_ns, double gpus) {
       return s.peak_known_ns > 0 && wall_ns > 0 ? 100 * s.peak_ns / wall_ns / gpus : kAbsent;
     }},
    {"Known", Unit::percent, 1,
     [](const OperatorSums& s, double, double) { return s.math_ns > 0 ? 100 * s.peak_known_ns / s.math_ns : kAbsent; }},
});

void add_figures(const std::vector<Span>& steps, const std::vector<OperatorSums>& sums, size_t gpus, Table& table) {
  for (const StepColumn& column : kStepColumns) {
    auto& values = table.reals(std::string(column.name), column.unit, column.decimals);
    for (size_t i = 0; i < steps.size(); ++i) {
      const auto wall_ns = static_cast<double>(steps[i].second - steps[i].first);
      values.push_back(column.value(sums[i], wall_ns, static_cast<double>(std::max<size_t>(gpus, 1))));
    }
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const std::vector<Span> steps = spans_of(trace);
  const std::vector<OperatorSums> sums = sums_of(trace, steps);
  Table table = table_of(torch_step_sum_report);
  if (std::ranges::all_of(sums, [](const OperatorSums& s) { return s.calls == 0; })) return table;
  auto& starts = table.integers("Start", Unit::nanoseconds);
  auto& durations = table.integers("Duration", Unit::nanoseconds);
  auto& times = table.integers("GPU Time", Unit::nanoseconds);
  for (size_t i = 0; i < steps.size(); ++i) {
    starts.push_back(steps[i].first);
    durations.push_back(steps[i].second - steps[i].first);
    times.push_back(sums[i].kernel_ns);
  }
  add_figures(steps, sums, gpus_of(trace).gpus.size(), table);
  return table;
}

}  // namespace
}  // namespace torch_step_sum

const StatsReport torch_step_sum_report{
    .name = "torch_step_sum",
    .usage = "torch_step_sum",
    .title = "PyTorch Step Summary",
    .description =
        R"(The work of each step after the warm-up, from the shapes of the inputs of its operators, and how much of the GPUs
it uses. Needs a trace with record_shapes=True. One row for the whole run if no step is found.

Start, Duration   of the step
GPU Time          sum of the durations of the kernels of the operators that begin in the step
FLOP              of its matrix products, convolutions and attention, as executed: recomputation counts
Compute           FLOP per second of Duration and GPU
MFU (%)           model FLOP utilization: time that FLOP takes at the peak rate of their precision, as a share of
                  Duration and of all GPUs
Known (%)         part of the time of matrix products, convolutions and attention of which FLOP and peak rate are known

docs/profiles/operators.md defines all figures. This report is specific to Sonde.)",
    .data = "PyTorch operator shape",
    .in_default_set = false,
    .fields = torch_step_sum::fields,
    .run = torch_step_sum::run,
};

}  // namespace sonde
