#pragma once

#include <vector>

#include "analyses/kernel_table/kernel_gaps.h"
#include "analyses/modules/module_kernel_metrics.h"
#include "analyses/tables/table.h"

namespace sonde {

/// Adds what was measured of each of `lines`: how much of the time, bytes of device memory and L2, arithmetic
/// intensity, bound, occupancy. For people bytes are megabytes, and columns without any cell are left out.
void add_kernel_columns(Table& table, const std::vector<MeasuredKernels>& lines, bool for_people);

/// Columns that lack a figure of some matched kernel.
[[nodiscard]] std::vector<ColumnGap> module_kernel_gaps(const KernelJoin& join, const ModuleKernels& kernels);

}  // namespace sonde
