#include <algorithm>

#include "analyses/kernels/stall_reasons.h"
#include "analyses/views/kernel_view.h"

namespace sonde {
namespace stall_reasons_table {
namespace {

Result<Table> run(const Trace& trace, const KernelProfile& kernel) {
  const std::vector<Stall> stalls = stall_reasons(trace, kernel);
  if (stalls.empty()) {
    return fail(
        "smsp__average_warps_issue_stalled_* and smsp__pcsamp_* (ncu --section WarpStateStats "
        "--section SourceCounters)");
  }
  Table table;
  auto& names = table.texts("Stall reason");
  auto& cycles = table.reals("Cycles per instruction", Unit::none, 2);
  auto& shares = table.reals("Share", Unit::percent, 1);
  auto& samples = table.integers("Samples");
  for (const Stall& stall : stalls) {
    names.push_back(stall.reason);
    cycles.push_back(stall.cycles_per_instruction.value_or(kAbsent));
    shares.push_back(stall.share_percent.value_or(kAbsent));
    samples.push_back(stall.samples ? static_cast<int64_t>(*stall.samples) : kUnknown);
  }
  return table;
}

}  // namespace
}  // namespace stall_reasons_table

extern const KernelView stall_reasons_view;
const KernelView stall_reasons_view{
    .name = "stall_reasons",
    .title = "Warp Stall Reasons",
    .section = "WarpStateStats",
    .description =
        "What the warps of an SM sub-partition did between two of their instructions: cycles per issued "
        "instruction (smsp__average_warps_issue_stalled_<reason>_per_issue_active), their share of all, and "
        "samples of the program counter (smsp__pcsamp_warps_issue_stalled_<reason>). 'selected' is the cycle "
        "that issues.",
    .run = stall_reasons_table::run,
};

}  // namespace sonde
