#include "gate/decide/figures.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "gate/quantile.h"
#include "gate/record/measured_metrics.h"

namespace sonde::gate {
namespace {

/// Whether a GPU is one that the scope is about.
bool has_gpu(const Scope& scope, const GpuOfRun& gpu) { return !scope.gpu || *scope.gpu == gpu.ordinal; }

bool on_gpu(const RunRecord& run, const Scope& scope, uint32_t gpu) {
  return !scope.gpu || (gpu < run.gpus.size() && has_gpu(scope, run.gpus[gpu]));
}

bool in_module(const Scope& scope, std::string_view module) {
  return !scope.modules || is_within(module, *scope.modules);
}

bool has_kernel(const Scope& scope, std::string_view kernel) {
  return !scope.kernels || scope.kernels->contains(kernel);
}

bool takes(const RunRecord& run, const Scope& scope, const WorkGroup& group) {
  return on_gpu(run, scope, group.gpu) && in_module(scope, group.module) &&
         (group.kind != WorkKind::kernel || has_kernel(scope, group.name));
}

/// Whether what the scope names exists in this run at all.
bool exists(const RunRecord& run, const Scope& scope) {
  const bool gpu = !scope.gpu || std::ranges::any_of(run.gpus, [&](const GpuOfRun& g) { return has_gpu(scope, g); });
  const auto in_it = [&](const auto& group) { return in_module(scope, group.module); };
  return gpu && (!scope.modules || std::ranges::any_of(run.work, in_it) || std::ranges::any_of(run.calls, in_it) ||
                 std::ranges::any_of(run.idle, in_it));
}

/// A group's numbers: of each kept step, and of the extent.
template <typename Group>
struct Numbers {
  std::vector<int64_t> Group::* of_step;
  int64_t Group::* of_run;
};
constexpr Numbers<WorkGroup> kWorkCount{&WorkGroup::step_count, &WorkGroup::count};
constexpr Numbers<WorkGroup> kWorkTime{&WorkGroup::step_duration_ns, &WorkGroup::duration_ns};
constexpr Numbers<WorkGroup> kWorkBytes{&WorkGroup::step_bytes, &WorkGroup::bytes};
constexpr Numbers<CallGroup> kCallCount{&CallGroup::step_count, &CallGroup::count};
constexpr Numbers<CallGroup> kCallTime{&CallGroup::step_duration_ns, &CallGroup::duration_ns};

/// Sums over the groups: a value of each kept step, or one of the run where nothing repeats.
template <typename Group, typename Counts>
TimedRun sums(const RunRecord& run, std::span<const Group> groups, Numbers<Group> numbers, const Counts& counts) {
  TimedRun values(std::max<size_t>(run.step_ns.size(), 1), 0);
  for (const Group& group : groups) {
    if (!counts(group)) continue;
    const std::vector<int64_t>& of_step = group.*numbers.of_step;
    if (run.step_ns.empty()) values[0] += static_cast<double>(group.*numbers.of_run);
    for (size_t i = 0; i < std::min(of_step.size(), run.step_ns.size()); ++i) {
      values[i] += static_cast<double>(of_step[i]);
    }
  }
  return values;
}

/// One value: the mean over the last steps.
TimedRun of_last_steps(const TimedRun& values, const Scope& scope) {
  if (values.empty()) return {};
  const size_t n = scope.last_steps == 0 ? values.size() : std::min(scope.last_steps, values.size());
  return {std::accumulate(values.end() - static_cast<std::ptrdiff_t>(n), values.end(), 0.0) / static_cast<double>(n)};
}

template <typename Counts>
TimedRun work(const RunRecord& run, const Scope& scope, Numbers<WorkGroup> numbers, const Counts& counts) {
  if (!run.recorded.gpu_work || run.work.empty() || run.recorded.whole_graphs || !exists(run, scope)) return {};
  return sums(run, std::span(run.work), numbers, [&](const WorkGroup& g) { return counts(g) && takes(run, scope, g); });
}

template <typename Counts>
TimedRun calls(const RunRecord& run, const Scope& scope, Numbers<CallGroup> numbers, const Counts& counts) {
  if (!run.recorded.api_calls || !exists(run, scope)) return {};
  return sums(run, std::span(run.calls), numbers,
              [&](const CallGroup& c) { return counts(c) && in_module(scope, c.module); });
}

bool is_kernel(const WorkGroup& group) { return group.kind == WorkKind::kernel; }
bool is_copy(const WorkGroup& group) { return group.kind == WorkKind::copy; }
bool is_communication(const WorkGroup& group) { return group.communication; }
bool is_launch(const CallGroup& call) { return call.launches; }
bool launches_kernels(const CallGroup& call) { return call.launches && !call.name.contains("Graph"); }
bool synchronizes(const CallGroup& call) { return call.synchronizes; }
bool allocates(const CallGroup& call) { return call.allocates; }

/// Sums divided by counts, of the steps that have any.
TimedRun ratios(const TimedRun& times, const TimedRun& counts) {
  TimedRun values;
  for (size_t i = 0; i < std::min(times.size(), counts.size()); ++i) {
    if (counts[i] > 0) values.push_back(times[i] / counts[i]);
  }
  return values;
}

/// Mean over the GPUs of a value of each step, or of the run where nothing repeats.
template <typename OfStep, typename OfRun>
TimedRun mean_of_gpus(const RunRecord& run, const Scope& scope, const OfStep& of_step, const OfRun& of_run) {
  const size_t steps = run.step_ns.size();
  TimedRun values(std::max<size_t>(steps, 1), 0);
  double gpus = 0;
  for (const GpuOfRun& gpu : run.gpus) {
    if (!has_gpu(scope, gpu)) continue;
    ++gpus;
    if (steps == 0) values[0] += of_run(gpu);
    for (size_t i = 0; i < steps; ++i) values[i] += of_step(gpu, i);
  }
  if (gpus == 0 || !run.recorded.gpu_work) return {};
  for (double& value : values) value /= gpus;
  return values;
}

double at(const std::vector<int64_t>& values, size_t i) {
  return i < values.size() ? static_cast<double>(values[i]) : 0;
}

/// Durations of the launches that a kernel profiler measured.
TimedRun measured_durations(const RunRecord& run, const Scope& scope) {
  TimedRun all;
  for (const KernelMeasure& measure : run.measures) {
    if (has_kernel(scope, measure.kernel)) {
      all.insert(all.end(), measure.duration_ns.begin(), measure.duration_ns.end());
    }
  }
  return all;
}

/// The worst that a kernel of the scope has; absent where one does not tell, since that could be the worst.
template <typename Number>
TimedRun worst_shape(const RunRecord& run, const Scope& scope, std::optional<Number> KernelShape::* member,
                     Better better) {
  std::optional<double> worst;
  for (const KernelShape& shape : run.shapes) {
    if (!has_kernel(scope, shape.kernel)) continue;
    if (!(shape.*member)) return {};
    const auto value = static_cast<double>(*(shape.*member));
    if (!worst) worst = value;
    worst = better == Better::lower ? std::max(*worst, value) : std::min(*worst, value);
  }
  return worst ? TimedRun{*worst} : TimedRun();
}

/// Figures of kernels. A run in which none ran at all, as of a program that failed before the first, does not tell
/// them.
TimedRun kernels(const RunRecord& run, const Scope& scope, Numbers<WorkGroup> numbers) {
  if (std::ranges::none_of(run.work, is_kernel)) return {};
  return work(run, scope, numbers, is_kernel);
}

TimedRun wall_time(const RunRecord& run, const Scope& /*scope*/) {
  return run.wall_ns > 0 ? TimedRun{static_cast<double>(run.wall_ns)} : TimedRun();
}

/// What was counted of the run's processes.
TimedRun counted_of(const std::optional<int64_t>& amount) {
  return amount ? TimedRun{static_cast<double>(*amount)} : TimedRun();
}

TimedRun cpu_time(const RunRecord& run, const Scope& /*scope*/) { return counted_of(run.cpu_ns); }
TimedRun instructions(const RunRecord& run, const Scope& /*scope*/) { return counted_of(run.instructions); }
TimedRun cycles(const RunRecord& run, const Scope& /*scope*/) { return counted_of(run.cycles); }

TimedRun step_time(const RunRecord& run, const Scope& /*scope*/) { return {run.step_ns.begin(), run.step_ns.end()}; }

constexpr size_t kLeastForP95 = 20;
constexpr size_t kLeastForP99 = 100;
static_assert(kLeastForP99 <= kMaxSteps, "a record that keeps fewer steps never has it");

TimedRun step_quantile(const RunRecord& run, double part, size_t least) {
  std::vector<double> steps(run.step_ns.begin(), run.step_ns.end());
  if (steps.size() < least) return {};
  std::ranges::sort(steps);
  return {quantile_of_sorted(steps, part)};
}

TimedRun step_time_p95(const RunRecord& run, const Scope& /*scope*/) { return step_quantile(run, 0.95, kLeastForP95); }
TimedRun step_time_p99(const RunRecord& run, const Scope& /*scope*/) { return step_quantile(run, 0.99, kLeastForP99); }

TimedRun range_quantile(const RunRecord& run, const Scope& scope, double RangeTimes::* quantile, size_t least) {
  const auto found = std::ranges::find(run.ranges, scope.range, &RangeTimes::name);
  if (scope.range.empty() || found == run.ranges.end() || std::cmp_less(found->count, least)) return {};
  return {(*found).*quantile};
}

TimedRun range_latency_p50(const RunRecord& run, const Scope& scope) {
  return range_quantile(run, scope, &RangeTimes::p50_ns, 1);
}

TimedRun range_latency_p95(const RunRecord& run, const Scope& scope) {
  return range_quantile(run, scope, &RangeTimes::p95_ns, kLeastForP95);
}

TimedRun range_latency_p99(const RunRecord& run, const Scope& scope) {
  return range_quantile(run, scope, &RangeTimes::p99_ns, kLeastForP99);
}

/// Absent where no GPU ran anything.
TimedRun gpu_busy_time(const RunRecord& run, const Scope& scope) {
  if (std::ranges::all_of(run.gpus, [](const GpuOfRun& gpu) { return gpu.busy_ns == 0; })) return {};
  return mean_of_gpus(
      run, scope, [](const GpuOfRun& gpu, size_t i) { return at(gpu.step_busy_ns, i); },
      [](const GpuOfRun& gpu) { return static_cast<double>(gpu.busy_ns); });
}

TimedRun gpu_idle_time(const RunRecord& run, const Scope& scope) {
  return mean_of_gpus(
      run, scope, [&](const GpuOfRun& gpu, size_t i) { return at(run.step_ns, i) - at(gpu.step_busy_ns, i); },
      [&](const GpuOfRun& gpu) { return static_cast<double>(run.extent_ns - gpu.busy_ns); });
}

TimedRun gpu_utilization(const RunRecord& run, const Scope& scope) {
  if (run.step_ns.empty() && run.extent_ns == 0) return {};
  return mean_of_gpus(
      run, scope, [&](const GpuOfRun& gpu, size_t i) { return 100 * at(gpu.step_busy_ns, i) / at(run.step_ns, i); },
      [&](const GpuOfRun& gpu) { return 100 * static_cast<double>(gpu.busy_ns) / static_cast<double>(run.extent_ns); });
}

TimedRun avg_kernel_time(const RunRecord& run, const Scope& scope) {
  const bool everything = !scope.kernels && !scope.modules && !scope.gpu;
  if (everything && run.avg_kernel_ns) return {*run.avg_kernel_ns};
  if (!run.measures.empty()) {
    const TimedRun durations = measured_durations(run, scope);
    return durations.empty() ? TimedRun() : TimedRun{mean_of(durations)};
  }
  return everything ? TimedRun() : ratios(kernels(run, scope, kWorkTime), kernels(run, scope, kWorkCount));
}

/// Of a kernel report: of one kernel each launch, of several their sum.
TimedRun measured_kernel_time(const RunRecord& run, const Scope& scope) {
  TimedRun durations = measured_durations(run, scope);
  if (durations.empty() || (scope.kernels && scope.kernels->size() == 1)) return durations;
  return {std::accumulate(durations.begin(), durations.end(), 0.0)};
}

TimedRun kernel_time(const RunRecord& run, const Scope& scope) {
  return run.measures.empty() ? kernels(run, scope, kWorkTime) : measured_kernel_time(run, scope);
}

TimedRun module_time(const RunRecord& run, const Scope& scope) {
  return work(run, scope, kWorkTime, [](const WorkGroup& group) { return !group.module.empty(); });
}

TimedRun copy_time(const RunRecord& run, const Scope& scope) { return work(run, scope, kWorkTime, is_copy); }

/// No collectives at all are taken for a program that is no distributed one, which has no such time.
bool communicates(const RunRecord& run, const Scope& scope) {
  return std::ranges::any_of(run.work,
                             [&](const WorkGroup& g) { return is_communication(g) && on_gpu(run, scope, g.gpu); });
}

TimedRun communication_time(const RunRecord& run, const Scope& scope) {
  if (!communicates(run, scope)) return {};
  return mean_of_gpus(
      run, scope, [](const GpuOfRun& gpu, size_t i) { return at(gpu.step_communication_ns, i); },
      [](const GpuOfRun& gpu) { return static_cast<double>(gpu.communication_ns); });
}

TimedRun exposed_communication_time(const RunRecord& run, const Scope& scope) {
  if (!communicates(run, scope)) return {};
  return mean_of_gpus(
      run, scope, [](const GpuOfRun& gpu, size_t i) { return at(gpu.step_exposed_communication_ns, i); },
      [](const GpuOfRun& gpu) { return static_cast<double>(gpu.exposed_communication_ns); });
}

TimedRun synchronization_time(const RunRecord& run, const Scope& scope) {
  return calls(run, scope, kCallTime, synchronizes);
}

TimedRun launch_time(const RunRecord& run, const Scope& scope) {
  return ratios(calls(run, scope, kCallTime, launches_kernels), calls(run, scope, kCallCount, launches_kernels));
}

TimedRun kernels_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(kernels(run, scope, kWorkCount), scope);
}

TimedRun launches_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(calls(run, scope, kCallCount, is_launch), scope);
}

TimedRun graph_nodes(const RunRecord& run, const Scope& /*scope*/) {
  return run.graph_nodes ? TimedRun{static_cast<double>(*run.graph_nodes)} : TimedRun();
}

TimedRun copies_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(work(run, scope, kWorkCount, is_copy), scope);
}

TimedRun copied_bytes_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(work(run, scope, kWorkBytes, is_copy), scope);
}

TimedRun pageable_copies_per_step(const RunRecord& run, const Scope& scope) {
  if (!run.recorded.copy_memory) return {};
  return of_last_steps(work(run, scope, kWorkCount, [](const WorkGroup& g) { return is_copy(g) && g.pageable; }),
                       scope);
}

TimedRun synchronizations_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(calls(run, scope, kCallCount, synchronizes), scope);
}

TimedRun allocations_per_step(const RunRecord& run, const Scope& scope) {
  return of_last_steps(calls(run, scope, kCallCount, allocates), scope);
}

TimedRun registers_per_thread(const RunRecord& run, const Scope& scope) {
  return worst_shape(run, scope, &KernelShape::registers_per_thread, Better::lower);
}

TimedRun shared_memory_per_block(const RunRecord& run, const Scope& scope) {
  return worst_shape(run, scope, &KernelShape::shared_bytes_per_block, Better::lower);
}

TimedRun spilled_bytes_per_thread(const RunRecord& run, const Scope& scope) {
  return worst_shape(run, scope, &KernelShape::local_bytes_per_thread, Better::lower);
}

TimedRun theoretical_occupancy(const RunRecord& run, const Scope& scope) {
  return worst_shape(run, scope, &KernelShape::theoretical_occupancy_percent, Better::higher);
}

/// Of the GPU that has most. One without allocations has none to tell.
TimedRun peak_memory(const RunRecord& run, const Scope& scope) {
  TimedRun most;
  for (const GpuOfRun& gpu : run.gpus) {
    if (!has_gpu(scope, gpu) || !gpu.peak_memory_bytes) continue;
    const auto bytes = static_cast<double>(*gpu.peak_memory_bytes);
    most = {most.empty() ? bytes : std::max(most[0], bytes)};
  }
  return most;
}

/// Of the chosen kernels of a report.
TimedRun measured(const RunRecord& run, const Scope& scope, std::string_view metric, LaunchFold fold) {
  MeasuredFold kernels;
  for (const KernelMeasure& measure : run.measures) {
    if (!has_kernel(scope, measure.kernel)) continue;
    const auto found = measure.metrics.find(metric);
    const double ns = std::accumulate(measure.duration_ns.begin(), measure.duration_ns.end(), 0.0);
    kernels.add(found == measure.metrics.end() ? std::nullopt : std::optional(found->second),
                ns > 0 ? std::optional(ns) : std::nullopt);
  }
  const auto folded = kernels.folded(fold);
  return folded ? TimedRun{*folded} : TimedRun();
}

#define SONDE_MEASURED_METRIC(metric, quantity, fold, section) \
  TimedRun metric(const RunRecord& run, const Scope& scope) { return measured(run, scope, #metric, LaunchFold::fold); }
#include "gate/record/measured_metrics.inc"
#undef SONDE_MEASURED_METRIC

constexpr bool yes = true;  // NOLINT(readability-identifier-naming): words of figures.inc
constexpr bool no = false;  // NOLINT(readability-identifier-naming)

constexpr auto kFigures = std::to_array<Figure>({
#define SONDE_GATE_FIGURE(metric, per, each, in_cycles) {#metric, FigurePer::per, FigureEach::each, in_cycles, metric},
#include "gate/decide/figures.inc"
#undef SONDE_GATE_FIGURE
});

/// The rows of metrics.inc that a figure is missing for would not build.
[[maybe_unused]] constexpr std::array kOneOfEachMetric = {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a function
#define SONDE_GATE_METRIC(name, unit, kind, better, selectors, description) &name,
#include "gate/metrics.inc"
#undef SONDE_GATE_METRIC
};
static_assert(kOneOfEachMetric.size() == kFigures.size());

}  // namespace

const Figure& figure_of(const Metric& metric) { return *std::ranges::find(kFigures, metric.name, &Figure::metric); }

bool is_processor_count(std::string_view metric) { return metric == "instructions" || metric == "cycles"; }

size_t least_values(std::string_view metric) {
  if (metric.ends_with("_p95")) return kLeastForP95;
  return metric.ends_with("_p99") ? kLeastForP99 : 0;
}

bool is_within(std::string_view module, const ModuleScope& scope) {
  if (!scope.inside) return scope.paths.contains(module);
  return std::ranges::any_of(scope.paths, [&](std::string_view path) {
    return module.starts_with(path) && (module.size() == path.size() || module[path.size()] == '/');
  });
}

std::map<std::string, double, std::less<>> kernel_times(const RunRecord& run, const Scope& scope) {
  std::map<std::string, double, std::less<>> times;
  for (const KernelMeasure& m : run.measures) {
    times[m.kernel] += std::accumulate(m.duration_ns.begin(), m.duration_ns.end(), 0.0);
  }
  const auto steps = static_cast<double>(std::max<int64_t>(run.steps, 1));
  for (const WorkGroup& group : run.work) {
    if (is_kernel(group) && takes(run, scope, group)) {
      times[group.name] += static_cast<double>(group.duration_ns) / steps;
    }
  }
  return times;
}

std::map<std::string, double, std::less<>> module_times(const RunRecord& run, const Scope& scope) {
  std::map<std::string, double, std::less<>> times;
  if (!run.recorded.gpu_work || run.recorded.whole_graphs) return times;
  for (const WorkGroup& group : run.work) {
    if (group.module.empty() || !takes(run, scope, group)) continue;
    const double time = mean_of(sums(run, std::span(&group, 1), kWorkTime, [](const WorkGroup&) { return true; }));
    if (time > 0) times[group.module] += time;
  }
  return times;
}

}  // namespace sonde::gate
