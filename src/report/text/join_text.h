#pragma once

#include <string>

#include "analyses/kernels/kernel_join.h"
#include "analyses/modules/module_kernel_metrics.h"

namespace sonde {

/// "6 of 6 launches are measured (100 % of the kernels' time): 6 one by one, 0 by launches like them; ..."
[[nodiscard]] std::string matched_text(const JoinCounts& counts);

/// The share matched, and what was left over on both sides with the reason: lines for people.
[[nodiscard]] std::string join_text(const KernelJoin& join);

/// How the time of modules goes with what they move, and the bandwidth that this means: lines for people.
[[nodiscard]] std::string transfer_text(const ModuleKernels& kernels);

}  // namespace sonde
