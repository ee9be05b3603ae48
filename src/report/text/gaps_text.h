#pragma once

#include <span>
#include <string>

#include "analyses/kernel_table/kernel_gaps.h"

namespace sonde {

/// What a table of kernels lacks and how to collect it, for people, a line for each reason:
/// "note: not collected: L2 Hit, L1 Hit (ncu --section MemoryWorkloadAnalysis), Top Stall (ncu --section
/// WarpStateStats)".
[[nodiscard]] std::string gaps_text(std::span<const ColumnGap> gaps);

}  // namespace sonde
