#include "analyses/kernel_table/kernel_columns.h"

namespace sonde {
namespace {

std::string dim3_text(const Dim3& dim) {
  return dim[0] == 0 ? std::string() : fmt::format("{}x{}x{}", dim[0], dim[1], dim[2]);
}

std::optional<double> duration(const KernelGroup& group) {
  return group.measured ? std::optional(group.duration_ns) : std::nullopt;
}

}  // namespace

#define SONDE_COLUMN(id)                 \
  extern const KernelColumn id##_column; \
  const KernelColumn id##_column

SONDE_COLUMN(id){
    .name = "id",
    .title = "ID",
    .description =
        "ID for --kernel: number of the launch in the report (of the longest launch if grouped); on a "
        "timeline, number of the launch shape",
    .combine = Combine::of_longest,
    .number = [](const KernelLaunch& l) -> std::optional<double> { return static_cast<double>(l.id); },
};

SONDE_COLUMN(time_share){
    .name = "time_share",
    .title = "Time",
    .description = "share of the time of all kernels shown",
    .unit = Unit::percent,
    .decimals = 1,
    .collected_by = "--section SpeedOfLight",
    .quantity = "duration",
    .of_group = [](const KernelGroup& g, double total) -> std::optional<double> {
      return g.measured && total > 0 ? std::optional(100 * g.duration_ns / total) : std::nullopt;
    },
};

SONDE_COLUMN(total_time){
    .name = "total_time",
    .title = "Total Time",
    .description = "time of all launches",
    .unit = Unit::nanoseconds,
    .collected_by = "--section SpeedOfLight",
    .quantity = "duration",
    .of_group = [](const KernelGroup& g, double) { return duration(g); },
};

SONDE_COLUMN(average_time){
    .name = "average_time",
    .title = "Avg",
    .description = "average time of a launch",
    .unit = Unit::nanoseconds,
    .collected_by = "--section SpeedOfLight",
    .quantity = "duration",
    .of_group = [](const KernelGroup& g, double) -> std::optional<double> {
      const auto total = duration(g);
      return total ? std::optional(*total / static_cast<double>(g.launches.size())) : std::nullopt;
    },
};

SONDE_COLUMN(launches){
    .name = "launches",
    .title = "Launches",
    .description = "number of launches in the row",
    .of_group = [](const KernelGroup& g, double) { return std::optional(static_cast<double>(g.launches.size())); },
};

SONDE_COLUMN(grid){
    .name = "grid",
    .title = "Grid",
    .description = "blocks of the grid by dimension, of the longest launch",
    .collected_by = "--section LaunchStats",
    .text = [](const KernelLaunch& l) { return dim3_text(l.grid()); },
};

SONDE_COLUMN(block){
    .name = "block",
    .title = "Block",
    .description = "threads of a block by dimension, of the longest launch",
    .collected_by = "--section LaunchStats",
    .text = [](const KernelLaunch& l) { return dim3_text(l.block()); },
};

SONDE_COLUMN(name){
    .name = "name",
    .title = "Name",
    .description = "name of the kernel",
    .text = [](const KernelLaunch& l) { return std::string(l.trace->name(l.name())); },
};

#undef SONDE_COLUMN

}  // namespace sonde
