#include <algorithm>
#include <array>

#include "analyses/kernels/occupancy_steps.h"
#include "analyses/kernels/profile_occupancy.h"
#include "analyses/views/kernel_view.h"

namespace sonde {
namespace occupancy_curves {
namespace {

/// A property of the launch that is varied.
struct Property {
  std::string_view name;
  std::string_view unit;  ///< in a sentence: "64 registers a thread instead of 72"
  OccupancyCurve (*curve)(const LaunchShape& shape, const SmLimits& limits);
  int64_t (*own)(const ProfiledLaunch& launch);
  Search better;
};

int64_t own_threads(const ProfiledLaunch& launch) { return launch.shape.threads_per_block; }
int64_t own_registers(const ProfiledLaunch& launch) { return launch.shape.registers_per_thread; }
int64_t own_shared_bytes(const ProfiledLaunch& launch) {
  return launch.shape.shared_bytes +
         launch.shape.driver_shared_bytes.value_or(launch.limits.reserved_shared_bytes_per_block);
}

constexpr std::array kProperties = {
    Property{"threads per block", "threads per block", occupancy_by_block_size, own_threads,
             Search{.may_grow = true, .multiple = 32}},
    Property{"registers per thread", "registers per thread", occupancy_by_registers, own_registers, Search{}},
    Property{"shared bytes per block", "bytes of shared memory per block (including the driver's share)",
             occupancy_by_shared_memory, own_shared_bytes, Search{}},
};

struct CurvesTable {
  Table table;
  Column::Texts& properties = table.texts("Property");
  Column::Integers& from = table.integers("From");
  Column::Integers& to = table.integers("To");
  Column::Integers& warps = table.integers("Warps/SM");
  Column::Reals& percent = table.reals("Occupancy", Unit::percent, 1);
  Column::Texts& marks = table.texts("Mark");
};

double percent_of(int64_t warps, const SmLimits& limits) {
  return 100 * static_cast<double>(warps) / static_cast<double>(limits.max_warps);
}

std::string sentence(const Property& property, OccupancyPoint own, const std::optional<OccupancyPoint>& better,
                     const SmLimits& limits) {
  if (!better)
    return fmt::format("No {} number of {} gives more than {:.1f} %.", property.better.may_grow ? "other" : "smaller",
                       property.name, percent_of(own.warps_per_sm, limits));
  return fmt::format("At {} {} instead of {}: {:.1f} % instead of {:.1f} %.", better->x, property.unit, own.x,
                     percent_of(better->warps_per_sm, limits), percent_of(own.warps_per_sm, limits));
}

std::string_view mark_of(const OccupancyStep& step, int64_t own, const std::optional<OccupancyPoint>& better) {
  if (step.from <= own && own <= step.to) return "this launch";
  if (better && step.from <= better->x && better->x <= step.to) return "next better";
  return "";
}

/// The peaks of a long curve do not always hold the next better point.
bool shown_anyway(const OccupancyStep& step, const std::optional<OccupancyPoint>& better) {
  return better && step.from <= better->x && better->x <= step.to;
}

void add_curve(CurvesTable& rows, const Property& property, const ProfiledLaunch& launch) {
  const OccupancyPoint own{property.own(launch), launch.occupancy.warps_per_sm};
  const OccupancyCurve curve = with_point(property.curve(launch.shape, launch.limits), own);
  const auto better = next_better(curve, own, property.better);
  const auto all = steps_of(curve);
  const auto few = condensed(all, own.x);
  for (const OccupancyStep& step : all) {
    if (std::ranges::find(few, step) == few.end() && !shown_anyway(step, better)) continue;
    rows.properties.push_back(property.name);
    rows.from.push_back(step.from);
    rows.to.push_back(step.to);
    rows.warps.push_back(step.warps_per_sm);
    rows.percent.push_back(percent_of(step.warps_per_sm, launch.limits));
    rows.marks.push_back(mark_of(step, own.x, better));
  }
  if (!rows.table.note.empty()) rows.table.note += ' ';
  rows.table.note += sentence(property, own, better, launch.limits);
}

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  if (!shape_of_profile(trace, kernel)) {
    return fail(
        "not collected: launch__registers_per_thread and launch__shared_mem_per_block_static, _dynamic (ncu --section "
        "LaunchStats)");
  }
  const auto launch = occupancy_of_profile(trace, kernel);
  if (!launch) return fail("not known: the SM limits of this GPU, because its compute capability is not recorded");
  CurvesTable rows;
  for (const Property& property : kProperties) add_curve(rows, property, *launch);
  return std::move(rows.table);
}

}  // namespace
}  // namespace occupancy_curves

extern const KernelView occupancy_curves_view;
const KernelView occupancy_curves_view{
    .name = "occupancy_curves",
    .title = "What Would Change Occupancy",
    .section = "Occupancy",
    .description =
        "Calculated theoretical occupancy while one property of the launch varies and the others stay. Steps at "
        "which it changes; if a curve has many steps, its peaks. Shared bytes include the driver's share and come in "
        "steps of "
        "512. 'Next better' is the nearest point with more warps: fewer registers, less shared memory, or a different "
        "number of "
        "whole warps per block.",
    .run = occupancy_curves::run,
};

}  // namespace sonde
