#pragma once

#include <string>
#include <vector>

#include "analyses/kernels/kernel_groups.h"
#include "analyses/tables/table.h"

namespace sonde {

/// Why a column of `sonde kernels` has absent cells.
struct ColumnGap {
  enum class Why : uint8_t {
    not_collected,    ///< by the kernel profiler
    not_on_this_gpu,  ///< which has no such counters
    not_recorded,     ///< by the recorder of the timeline
  };
  size_t column = 0;  ///< of the table
  std::string title;
  bool every_row = false;
  Why why = Why::not_collected;
  std::string detail;  ///< "ncu --section Occupancy"; "CC 8.7"; empty for a timeline
};

/// The gaps of kernel_table(trace, groups, columns), in the order of its columns. A cell that is empty because of what
/// the kernel is (no tail without a whole wave) is none, and neither are those of a launch that was not measured at
/// all.
[[nodiscard]] std::vector<ColumnGap> gaps_of(const Table& table, const std::vector<KernelGroup>& groups,
                                             const std::vector<std::string>& columns);

}  // namespace sonde
