#include "analyses/measured/measured_launch.h"

#include <algorithm>

#include "analyses/kernels/stall_reasons.h"
#include "analyses/measured/kernel_durations.h"
#include "metrics/quantities.h"
#include "metrics/waves.h"
#include "trace/brief_kernel_name.h"
#include "trace/columns.h"

namespace sonde {
namespace {

MeasuredLaunch launch_of(const Trace& trace, const KernelProfile& profile) {
  MeasuredLaunch launch;
  launch.trace = &trace;
  launch.profile = &profile;
  launch.duration_ns = measured_duration_ns(trace, profile);
  launch.compute_percent = quantity_value("compute_sol", trace, profile);
  launch.memory_percent = quantity_value("memory_sol", trace, profile);
  launch.bound = bound_of(trace, profile);
  launch.memory = busiest_memory(trace, profile);
  launch.pipe = busiest_pipe(trace, profile);
  // L1's throughput has parts that the speed of light leaves out; those of the other levels are of their own clocks.
  const bool in_sm =
      launch.memory && (launch.memory->part == MemoryPart::l1 || launch.memory->part == MemoryPart::shared ||
                        launch.memory->part == MemoryPart::l1_or_shared);
  if (launch.memory_percent && in_sm) {
    launch.memory_percent = std::max(*launch.memory_percent, launch.memory->percent);
  }
  return launch;
}

}  // namespace

std::optional<double> MeasuredLaunch::metric(std::string_view name) const {
  return metric_number(*trace, *profile, name);
}

std::optional<double> MeasuredLaunch::quantity(std::string_view name) const {
  return quantity_value(name, *trace, *profile);
}

std::optional<double> MeasuredLaunch::busiest_percent() const {
  if (!compute_percent || !memory_percent) return std::nullopt;
  return std::max(*compute_percent, *memory_percent);
}

std::optional<double> MeasuredLaunch::idle_percent() const {
  const auto busiest = busiest_percent();
  return busiest ? std::optional(std::clamp(100 - *busiest, 0.0, 100.0)) : std::nullopt;
}

double MeasuredLaunch::memory_time_percent() const {
  double waits = 0;
  for (const Stall& stall : stall_reasons(*trace, *profile)) {
    const bool memory = stall.reason == "long_scoreboard" || stall.reason == "lg_throttle" || stall.reason == "drain";
    if (memory) waits += stall.share_percent.value_or(0);
  }
  return std::max(waits, memory_percent.value_or(100));
}

std::optional<double> MeasuredLaunch::tail_percent() const {
  const auto waves = quantity("waves");
  return waves ? tail_percent_of(*waves) : std::nullopt;
}

std::string MeasuredLaunch::name() const { return brief_kernel_name(trace->name(profile->name)); }

std::vector<MeasuredLaunch> measured_launches(const Trace& trace) {
  std::vector<MeasuredLaunch> launches;
  int64_t start = 0;
  for (const KernelProfile& profile : trace.kernel_profiles) {
    MeasuredLaunch launch = launch_of(trace, profile);
    if (launch.duration_ns == 0) continue;
    launch.start_ns = start;
    start += launch.duration_ns;
    launches.push_back(std::move(launch));
  }
  return launches;
}

bool is_kernel_report(const Trace& trace) {
  return !trace.kernel_profiles.empty() && row_count(trace.kernels) == 0 && row_count(trace.copies) == 0;
}

OpcodeCounts::OpcodeCounts(const Trace& trace, const KernelProfile& kernel) {
  const Metric* metric = find_metric(trace, kernel, "sass__inst_executed_per_opcode");
  if (metric == nullptr) return;
  for (const MetricInstance& instance : metric->instances) {
    const auto count = instance.value.number();
    if (!count || instance.key.name() == kNone) continue;
    counts_.emplace_back(trace.name(instance.key.name()), *count);
    all_ += *count;
  }
}

double OpcodeCounts::of(std::string_view opcode) const {
  double sum = 0;
  for (const auto& [name, count] : counts_) {
    if (name.substr(0, name.find('.')) == opcode) sum += count;
  }
  return sum;
}

}  // namespace sonde
