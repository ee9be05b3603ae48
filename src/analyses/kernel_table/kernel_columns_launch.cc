#include "analyses/kernel_table/kernel_columns.h"
#include "analyses/kernels/launch_occupancy.h"
#include "analyses/measured/occupancy_limiter.h"
#include "metrics/quantities.h"

namespace sonde {
namespace {

std::optional<LaunchOccupancy> by_formula(const KernelLaunch& launch) {
  return launch.profile != nullptr ? std::nullopt : occupancy_of_row(*launch.trace, launch.row);
}

std::optional<double> theoretical_percent(const KernelLaunch& launch) {
  if (launch.profile != nullptr) return quantity_value("theoretical_occupancy", *launch.trace, *launch.profile);
  const auto found = by_formula(launch);
  return found ? std::optional(found->occupancy.percent) : std::nullopt;
}

std::string limiter_text(const KernelLaunch& launch) {
  if (launch.profile != nullptr) return occupancy_limiter(*launch.trace, *launch.profile);
  std::string names;
  const auto found = by_formula(launch);
  if (!found) return names;
  for (const OccupancyLimit limit : found->occupancy.limits_that_bind()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(limit));
  }
  return names;
}

std::optional<Waves> waves_of_launch(const KernelLaunch& launch) {
  const auto found = by_formula(launch);
  return found ? found->waves : std::nullopt;
}

std::optional<double> wave_count(const KernelLaunch& launch) {
  if (launch.profile != nullptr) return quantity_value("waves", *launch.trace, *launch.profile);
  const auto waves = waves_of_launch(launch);
  return waves ? std::optional(waves->count) : std::nullopt;
}

std::optional<double> tail_percent(const KernelLaunch& launch) {
  if (launch.profile == nullptr) {
    const auto waves = waves_of_launch(launch);
    return waves ? waves->tail_percent : std::nullopt;
  }
  const auto count = wave_count(launch);
  return count ? tail_percent_of(*count) : std::nullopt;
}

}  // namespace

#define SONDE_COLUMN(id)                 \
  extern const KernelColumn id##_column; \
  const KernelColumn id##_column

SONDE_COLUMN(occupancy){.name = "occupancy",
                        .title = "Theor Occ",
                        .description = "theoretical occupancy; on a timeline, calculated (docs/profiles/occupancy.md)",
                        .unit = Unit::percent,
                        .decimals = 1,
                        .collected_by = "--section Occupancy",
                        .quantity = "theoretical_occupancy",
                        .number = theoretical_percent};

SONDE_COLUMN(limiter){.name = "limiter",
                      .title = "Occ Limiter",
                      .description = "limiter of the theoretical occupancy of the longest launch",
                      .collected_by = "--section Occupancy",
                      .text = limiter_text};

SONDE_COLUMN(waves_per_sm){.name = "waves_per_sm",
                           .title = "Waves",
                           .description = "blocks of the grid divided by the blocks that fit on the GPU at once",
                           .decimals = 2,
                           .collected_by = "--section LaunchStats",
                           .quantity = "waves",
                           .number = wave_count};

SONDE_COLUMN(tail){
    .name = "tail",
    .title = "Tail",
    .description = "share of the time lost in the partial last wave (tail effect); absent below one full wave",
    .unit = Unit::percent,
    .decimals = 1,
    .number = tail_percent};

SONDE_COLUMN(registers){.name = "registers",
                        .title = "Reg/Thread",
                        .description = "registers per thread of the longest launch",
                        .combine = Combine::of_longest,
                        .collected_by = "--section LaunchStats",
                        .quantity = "registers_per_thread",
                        .number = [](const KernelLaunch& l) { return l.registers_per_thread(); }};

SONDE_COLUMN(shared){.name = "shared",
                     .title = "Shared/Block",
                     .description = "static and dynamic shared memory per block of the longest launch",
                     .unit = Unit::bytes,
                     .combine = Combine::of_longest,
                     .collected_by = "--section LaunchStats",
                     .quantity = "shared_memory_per_block",
                     .number = [](const KernelLaunch& l) { return l.shared_bytes(); }};

#undef SONDE_COLUMN

}  // namespace sonde
