#include "analyses/kernels/launch_profile.h"

#include <algorithm>
#include <array>
#include <span>

#include "analyses/kernels/kernel_groups.h"
#include "analyses/kernels/launch_occupancy.h"
#include "metrics/sections.h"

namespace sonde {
namespace {

struct LaunchLabel {
  std::string_view metric;
  std::string_view label;
};

constexpr std::array kTimelineLabels = {
    LaunchLabel{"timeline__launches", "Launches"},         LaunchLabel{"timeline__duration_total", "Total Duration"},
    LaunchLabel{"timeline__duration_avg", "Avg Duration"}, LaunchLabel{"timeline__duration_min", "Min Duration"},
    LaunchLabel{"timeline__duration_max", "Max Duration"},
};

/// Beside those that ncu has in its section.
constexpr std::array kLaunchLabels = {
    LaunchLabel{"launch__shared_mem_per_block", "Shared Memory Per Block"},
    LaunchLabel{"timeline__local_mem_per_thread", "Local Memory Per Thread"},
    LaunchLabel{"timeline__local_mem_total", "Local Memory"},
    LaunchLabel{"timeline__tail_pct", "Tail"},
};

/// Of the section Occupancy, what takes counters: named, so that their absence shows.
constexpr std::array kAchieved = {std::string_view("sm__warps_active.avg.pct_of_peak_sustained_active"),
                                  std::string_view("sm__warps_active.avg.per_cycle_active")};

using Number = std::optional<double>;

template <typename T>
Number number(const std::optional<T>& value) {
  return value ? Number(static_cast<double>(*value)) : std::nullopt;
}

template <typename Column>
Number recorded(const Column& column, Row row) {
  return row < column.size() && column[row] >= 0 ? Number(static_cast<double>(column[row])) : std::nullopt;
}

/// A kernel that is being made. Names are the made trace's.
class Maker {
 public:
  Maker(Trace& made, KernelProfile& kernel) : made_(made), kernel_(kernel) {}

  /// Absent: a recorder can tell it, and this one did not.
  void add(std::string_view metric, Number value) {
    kernel_.metrics.push_back({made_.names.intern(metric), value ? MetricValue::real(*value) : MetricValue(), {}});
  }
  /// What most recorders do not tell: left out where it is not there.
  void add_known(std::string_view metric, Number value) {
    if (value) add(metric, value);
  }
  [[nodiscard]] bool has(std::string_view metric) const {
    const NameId name = made_.names.find(metric);
    return std::ranges::find(kernel_.metrics, name, &Metric::name) != kernel_.metrics.end();
  }

 private:
  Trace& made_;
  KernelProfile& kernel_;
};

void add_times(Maker& maker, const KernelGroup& group) {
  double least = group.representative().duration_ns().value_or(0);
  for (const KernelLaunch& launch : group.launches) least = std::min(least, launch.duration_ns().value_or(0));
  const auto count = static_cast<double>(group.launches.size());
  maker.add("timeline__launches", count);
  maker.add("timeline__duration_total", group.duration_ns);
  maker.add("timeline__duration_avg", group.duration_ns / count);
  maker.add("timeline__duration_min", least);
  maker.add("timeline__duration_max", group.representative().duration_ns());
}

void add_shared_memory(Maker& maker, const Kernels& kernels, Row row, const LaunchResources& resources) {
  const auto fixed = recorded(kernels.static_shared_bytes, row);
  const auto dynamic = recorded(kernels.dynamic_shared_bytes, row);
  if (fixed || dynamic || !resources.shared_bytes) {
    maker.add("launch__shared_mem_per_block_static", fixed);
    maker.add("launch__shared_mem_per_block_dynamic", dynamic);
  } else {
    maker.add("launch__shared_mem_per_block", number(resources.shared_bytes));
  }
  maker.add("launch__shared_mem_config_size", number(resources.carve_out_bytes));
}

Number product(Number a, Number b) { return a && b ? Number(*a * *b) : std::nullopt; }

Number threads_of(const Dim3& block) {
  const double threads = 1.0 * block[0] * block[1] * block[2];
  return threads > 0 ? Number(threads) : std::nullopt;
}

void add_launch(Maker& maker, const Trace& trace, const KernelLaunch& launch,
                const std::optional<LaunchOccupancy>& found) {
  const Kernels& kernels = trace.kernels;
  const LaunchResources resources = resources_of_row(trace, launch.row);
  const Number blocks = number(grid_blocks_of_row(trace, launch.row));
  const Number threads = threads_of(launch.block());
  maker.add("launch__grid_size", blocks);
  maker.add("launch__block_size", threads);
  maker.add("launch__thread_count", product(blocks, threads));
  maker.add("launch__registers_per_thread", number(resources.registers_per_thread));
  add_shared_memory(maker, kernels, launch.row, resources);
  maker.add_known("launch__cluster_size", number(resources.cluster_blocks));
  maker.add_known("timeline__local_mem_per_thread", recorded(kernels.local_bytes_per_thread, launch.row));
  maker.add_known("timeline__local_mem_total", recorded(kernels.local_bytes_total, launch.row));
  const auto waves = found ? found->waves : std::nullopt;
  maker.add("launch__waves_per_multiprocessor", waves ? Number(waves->count) : std::nullopt);
  maker.add_known("timeline__tail_pct", waves ? waves->tail_percent : std::nullopt);
}

void add_occupancy(Maker& maker, const std::optional<LaunchOccupancy>& found) {
  const auto of = [&](auto member) { return found ? number(std::optional(found->occupancy.*member)) : std::nullopt; };
  maker.add("launch__occupancy_limit_registers", of(&Occupancy::blocks_by_registers));
  maker.add("launch__occupancy_limit_shared_mem", of(&Occupancy::blocks_by_shared_memory));
  maker.add("launch__occupancy_limit_warps", of(&Occupancy::blocks_by_warps));
  maker.add("launch__occupancy_limit_blocks", of(&Occupancy::blocks_by_blocks));
  maker.add("sm__maximum_warps_avg_per_active_cycle", of(&Occupancy::warps_per_sm));
  maker.add("sm__maximum_warps_per_active_cycle_pct", of(&Occupancy::percent));
  for (const std::string_view metric : kAchieved) maker.add(metric, std::nullopt);
}

/// The value that all launches share; kUnknown where they differ.
template <typename ValueOf>
int64_t common(const KernelGroup& group, const ValueOf& value_of) {
  const int64_t first = value_of(group.launches.front());
  const auto same = [&](const KernelLaunch& launch) { return value_of(launch) == first; };
  return std::ranges::all_of(group.launches, same) ? first : kUnknown;
}

/// Process, context, stream and device.
void place(KernelProfile& kernel, const Trace& trace, const KernelGroup& group) {
  const auto stream_of = [&](const KernelLaunch& launch) -> const Stream* {
    const StreamId id = launch.row < trace.kernels.stream.size() ? trace.kernels.stream[launch.row] : kNone;
    return id < trace.streams.size() ? &trace.streams[id] : nullptr;
  };
  kernel.context = common(group, [&](const KernelLaunch& launch) {
    const Stream* stream = stream_of(launch);
    return stream == nullptr ? kUnknown : int64_t{stream->context};
  });
  kernel.stream = common(group, [&](const KernelLaunch& launch) {
    const Stream* stream = stream_of(launch);
    return stream == nullptr || stream->stream == kNone ? kUnknown : int64_t{stream->stream};
  });
  kernel.process = common(group, [&](const KernelLaunch& launch) {
    const Stream* stream = stream_of(launch);
    return stream == nullptr || stream->process >= trace.processes.size() ? kUnknown
                                                                          : trace.processes[stream->process].pid;
  });
  const Stream* stream = stream_of(group.representative());
  if (stream == nullptr) return;
  if (stream->device < trace.devices.size()) kernel.device = stream->device;
  if (stream->process < trace.processes.size()) kernel.rank = trace.processes[stream->process].rank;
}

/// A section with those of its labels whose metrics the kernel has.
uint32_t add_section(Trace& made, const Maker& maker, std::string_view id, std::span<const LaunchLabel> own) {
  ProfileSection section;
  const SectionInfo* info = find_section(id);
  section.id = made.names.intern(id);
  section.title = made.names.intern(info == nullptr ? id : info->title);
  section.order = info == nullptr ? 0 : info->order;
  const auto add = [&](std::string_view metric, std::string_view label) {
    if (maker.has(metric)) section.header.push_back({made.names.intern(metric), made.names.intern(label)});
  };
  for (const SectionLabel& known : section_labels()) {
    if (known.section == id) add(known.metric, known.label);
  }
  for (const LaunchLabel& label : own) add(label.metric, label.label);
  made.profile_sections.push_back(std::move(section));
  return static_cast<uint32_t>(made.profile_sections.size() - 1);
}

void add_profile(Trace& made, const Trace& trace, const KernelGroup& group) {
  const KernelLaunch& launch = group.representative();
  KernelProfile kernel;
  kernel.from_timeline = true;
  kernel.id = launch.id;
  kernel.name = made.names.intern(trace.name(launch.name()));
  kernel.grid = launch.grid();
  kernel.block = launch.block();
  place(kernel, trace, group);
  Maker maker(made, kernel);
  const auto found = occupancy_of_row(trace, launch.row);
  add_times(maker, group);
  add_launch(maker, trace, launch, found);
  add_occupancy(maker, found);
  kernel.sections = {add_section(made, maker, kTimelineSection, kTimelineLabels),
                     add_section(made, maker, "LaunchStats", kLaunchLabels), add_section(made, maker, "Occupancy", {})};
  std::ranges::sort(kernel.metrics, {}, &Metric::name);
  made.kernel_profiles.push_back(std::move(kernel));
}

}  // namespace

Trace launch_profiles_of(const Trace& timeline) {
  Trace made;
  made.ranks = timeline.ranks;
  made.devices = timeline.devices;
  for (Process process : timeline.processes) {
    process.name = made.names.intern(timeline.name(process.name));
    made.processes.push_back(process);
  }
  for (const KernelGroup& group : group_kernels(kernel_launches(timeline), kByShape)) {
    add_profile(made, timeline, group);
  }
  return made;
}

}  // namespace sonde
