#include <algorithm>
#include <array>

#include "analyses/kernels/profile_occupancy.h"
#include "analyses/views/kernel_view.h"

namespace sonde {
namespace occupancy_limits {
namespace {

struct LimitRow {
  OccupancyLimit limit;
  std::string_view metric;
};

constexpr std::array kLimits = {
    LimitRow{OccupancyLimit::registers, "launch__occupancy_limit_registers"},
    LimitRow{OccupancyLimit::shared_memory, "launch__occupancy_limit_shared_mem"},
    LimitRow{OccupancyLimit::warps, "launch__occupancy_limit_warps"},
    LimitRow{OccupancyLimit::blocks, "launch__occupancy_limit_blocks"},
    LimitRow{OccupancyLimit::barriers, "launch__occupancy_limit_barriers"},
};

std::optional<int64_t> blocks_by(OccupancyLimit limit, const Occupancy& occupancy) {
  switch (limit) {
    case OccupancyLimit::registers: return occupancy.blocks_by_registers;
    case OccupancyLimit::shared_memory: return occupancy.blocks_by_shared_memory;
    case OccupancyLimit::warps: return occupancy.blocks_by_warps;
    case OccupancyLimit::blocks: return occupancy.blocks_by_blocks;
    case OccupancyLimit::barriers: return occupancy.blocks_by_barriers;
  }
  return std::nullopt;
}

std::string asked(OccupancyLimit limit, const LaunchShape& shape) {
  switch (limit) {
    case OccupancyLimit::registers: return fmt::format("{} per thread", shape.registers_per_thread);
    case OccupancyLimit::shared_memory: return fmt::format("{} bytes per block", shape.shared_bytes);
    case OccupancyLimit::warps: return fmt::format("{} threads per block", shape.threads_per_block);
    case OccupancyLimit::blocks: return {};
    case OccupancyLimit::barriers: return shape.barriers ? fmt::format("{} per block", *shape.barriers) : std::string();
  }
  return {};
}

/// What the report says; what it does not say is absent.
struct Reported {
  std::array<std::optional<double>, kLimits.size()> blocks;
  std::optional<double> theoretical_percent, theoretical_warps;
  std::optional<double> achieved_percent, achieved_warps;

  [[nodiscard]] std::optional<double> least() const {
    std::optional<double> least;
    for (const auto& value : blocks) {
      if (value) least = std::min(least.value_or(*value), *value);
    }
    return least;
  }
  [[nodiscard]] bool is_achieved_known() const { return achieved_percent || achieved_warps; }
  [[nodiscard]] bool is_empty() const { return !least() && !theoretical_percent && !achieved_percent; }
};

Reported reported_of(const Trace& trace, const KernelProfile& kernel) {
  const auto number = [&](std::string_view name) { return metric_number(trace, kernel, name); };
  Reported reported;
  if (kernel.from_timeline) return reported;  // whose limits are by formula themselves
  for (size_t i = 0; i < kLimits.size(); ++i) reported.blocks[i] = number(kLimits[i].metric);
  reported.theoretical_percent = number("sm__maximum_warps_per_active_cycle_pct");
  reported.theoretical_warps = number("sm__maximum_warps_avg_per_active_cycle");
  reported.achieved_percent = number("sm__warps_active.avg.pct_of_peak_sustained_active");
  reported.achieved_warps = number("sm__warps_active.avg.per_cycle_active");
  return reported;
}

struct LimitsTable {
  Table table;
  Column::Texts& names = table.texts("Limit");
  Column::Texts& asked = table.texts("Launch asks for");
  Column::Integers& reported = table.integers("Blocks/SM");
  Column::Integers& computed = table.integers("Blocks/SM by formula");
  Column::Reals& warps = table.reals("Warps/SM", Unit::none, 2);
  Column::Reals& percent = table.reals("Occupancy", Unit::percent, 1);
  Column::Reals& formula = table.reals("Occupancy by formula", Unit::percent, 1);
  Column::Texts& binds = table.texts("Binds");

  void add_limit(std::string_view name, std::string asks, std::optional<double> by_report,
                 std::optional<int64_t> by_formula, bool is_binding) {
    names.push_back(name);
    asked.push_back(table.keep(std::move(asks)));
    reported.push_back(integer_cell(by_report));
    computed.push_back(by_formula.value_or(kUnknown));
    binds.emplace_back(is_binding ? "yes" : "");
  }
  void add_occupancy(std::optional<double> of_warps, std::optional<double> by_report,
                     std::optional<double> by_formula) {
    warps.push_back(of_warps.value_or(kAbsent));
    percent.push_back(by_report.value_or(kAbsent));
    formula.push_back(by_formula.value_or(kAbsent));
  }
};

void add_limits(LimitsTable& rows, const Reported& reported, const std::optional<ProfiledLaunch>& launch) {
  const auto least = reported.least();
  for (size_t i = 0; i < kLimits.size(); ++i) {
    const OccupancyLimit limit = kLimits[i].limit;
    const auto by_formula = launch ? blocks_by(limit, launch->occupancy) : std::nullopt;
    if (!reported.blocks[i] && !by_formula) continue;
    const bool binds = least ? reported.blocks[i] == least : by_formula == launch->occupancy.blocks_per_sm;
    rows.add_limit(name_of(limit), launch ? asked(limit, launch->shape) : std::string(), reported.blocks[i], by_formula,
                   binds);
    rows.add_occupancy({}, {}, {});
  }
}

std::string note_of(const Reported& reported, const std::optional<ProfiledLaunch>& launch) {
  std::string note;
  if (!reported.is_achieved_known()) {
    note =
        "Achieved occupancy: not collected, sm__warps_active.avg.pct_of_peak_sustained_active (ncu --section "
        "Occupancy). ";
  }
  if (!launch) {
    note += "Formula values are unknown because the GPU's limits or the launch's resources are not recorded.";
  } else if (launch->occupancy.upper_bound) {
    note +=
        "Formula values are upper bounds because the shared memory carve-out is not recorded or blocks are in "
        "clusters.";
  }
  if (note.ends_with(' ')) note.pop_back();
  return note;
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  const Reported reported = reported_of(trace, kernel);
  const auto launch = occupancy_of_profile(trace, kernel);
  if (reported.is_empty() && !launch) {
    return fail(
        "not collected: launch__occupancy_limit_* and sm__warps_active.avg.pct_of_peak_sustained_active (ncu --section "
        "Occupancy)");
  }
  LimitsTable rows;
  add_limits(rows, reported, launch);
  const auto as_optional = [&](auto member) {
    return launch ? std::optional(launch->occupancy.*member) : std::nullopt;
  };
  rows.add_limit("theoretical", {}, reported.least(), as_optional(&Occupancy::blocks_per_sm), false);
  const auto warps = as_optional(&Occupancy::warps_per_sm);
  rows.add_occupancy(reported.theoretical_warps ? reported.theoretical_warps : std::optional<double>(warps),
                     reported.theoretical_percent, as_optional(&Occupancy::percent));
  if (reported.is_achieved_known()) {
    rows.add_limit("achieved", {}, {}, {}, false);
    rows.add_occupancy(reported.achieved_warps, reported.achieved_percent, {});
  }
  rows.table.note = note_of(reported, launch);
  return std::move(rows.table);
}

}  // namespace
}  // namespace occupancy_limits

extern const KernelView occupancy_limits_view;
const KernelView occupancy_limits_view{
    .name = "occupancy_limits",
    .title = "Occupancy Limits",
    .section = "Occupancy",
    .description =
        "Blocks per SM by each limit, from the report (launch__occupancy_limit_*) and by "
        "formula from the launch's shape; the smallest is the limiter. Theoretical occupancy: warps of these blocks as "
        "a share of the "
        "SM's maximum (sm__maximum_warps_per_active_cycle_pct). Achieved: average of active warps "
        "(sm__warps_active).",
    .run = occupancy_limits::run,
};

}  // namespace sonde
