#include "analyses/kernels/recorded_kernels.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "analyses/kernels/profile_occupancy.h"
#include "metrics/sections.h"
#include "metrics/waves.h"

namespace sonde {
namespace {

void add(Trace& trace, KernelProfile& kernel, std::string_view name, double value) {
  kernel.metrics.push_back({trace.names.intern(name), MetricValue::real(value), {}});
}

void add_waves(Trace& trace, KernelProfile& kernel, const ProfiledLaunch& launch) {
  const auto blocks = metric_number(trace, kernel, "launch__grid_size");
  if (!blocks || !launch.limits.sm_count) return;
  add(trace, kernel, "launch__sm_count", static_cast<double>(*launch.limits.sm_count));
  const auto waves = waves_of(static_cast<int64_t>(*blocks), launch.occupancy.blocks_per_sm, *launch.limits.sm_count);
  if (waves) add(trace, kernel, "launch__waves_per_multiprocessor", waves->count);
}

void add_occupancy(Trace& trace, KernelProfile& kernel) {
  const auto launch = occupancy_of_profile(trace, kernel);
  if (!launch) return;
  const Occupancy& found = launch->occupancy;
  // Before anything is added: what is there is found in order.
  add_waves(trace, kernel, *launch);
  add(trace, kernel, "launch__occupancy_limit_registers", static_cast<double>(found.blocks_by_registers));
  add(trace, kernel, "launch__occupancy_limit_shared_mem", static_cast<double>(found.blocks_by_shared_memory));
  add(trace, kernel, "launch__occupancy_limit_warps", static_cast<double>(found.blocks_by_warps));
  add(trace, kernel, "launch__occupancy_limit_blocks", static_cast<double>(found.blocks_by_blocks));
  add(trace, kernel, "sm__maximum_warps_avg_per_active_cycle", static_cast<double>(found.warps_per_sm));
  add(trace, kernel, "sm__maximum_warps_per_active_cycle_pct", found.percent);
  std::ranges::stable_sort(kernel.metrics, {}, &Metric::name);
}

/// Without a label's value, half of its metrics tell that a section was collected: no GPU has all, and sections share
/// some.
bool is_collected(const ProfileSection& section, const SectionInfo& info) {
  const auto counted = std::ranges::count_if(metrics_of_section(info.id), [](std::string_view metric) {
    return !metric.starts_with("derived__") && !metric.contains(':');
  });
  return !section.header.empty() || (counted > 0 && 2 * std::ssize(section.others) >= counted);
}

/// The labels and metrics of a known section that any kernel of the trace has.
ProfileSection section_of(Trace& trace, const SectionInfo& info) {
  const auto exists = [&](std::string_view metric) {
    return std::ranges::any_of(trace.kernel_profiles,
                               [&](const KernelProfile& k) { return find_metric(trace, k, metric) != nullptr; });
  };
  ProfileSection section;
  section.id = trace.names.intern(info.id);
  section.title = trace.names.intern(info.title);
  section.order = info.order;
  section.description = trace.names.intern(info.meaning);
  std::vector<std::string_view> shown;
  for (const SectionLabel& label : section_labels()) {
    if (label.section != info.id || !exists(label.metric)) continue;
    section.header.push_back({trace.names.intern(label.metric), trace.names.intern(label.label)});
    shown.push_back(label.metric);
  }
  for (const std::string_view metric : metrics_of_section(info.id)) {
    if (std::ranges::find(shown, metric) != shown.end() || !exists(metric)) continue;
    section.others.push_back({trace.names.intern(metric), kNone});
  }
  return section;
}

void add_sections(Trace& trace) {
  for (const SectionInfo& info : known_sections()) {
    ProfileSection section = section_of(trace, info);
    if (!is_collected(section, info)) continue;
    trace.profile_sections.push_back(std::move(section));
    const auto row = static_cast<uint32_t>(trace.profile_sections.size() - 1);
    for (KernelProfile& kernel : trace.kernel_profiles) kernel.sections.push_back(row);
  }
}

}  // namespace

void complete_recorded_kernels(Trace& trace) {
  if (trace.kernel_profiles.empty()) return;
  for (KernelProfile& kernel : trace.kernel_profiles) add_occupancy(trace, kernel);
  add_sections(trace);
}

}  // namespace sonde
