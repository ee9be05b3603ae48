#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace kernel_time {
namespace {

/// Leaves whose change stands out from that of the kernel's others: a kernel that is slower in one module only.
std::vector<Leaf*> changed_ones(const std::vector<Leaf*>& leaves, bool slower) {
  std::vector<Leaf*> chosen;
  for (Leaf* leaf : leaves) {
    if ((leaf->open_ns > 0) == slower) chosen.push_back(leaf);
  }
  return chosen;
}

void claim_kernel(CauseLedger& ledger, const std::string& kernel, const std::vector<Leaf*>& leaves) {
  for (const bool slower : {true, false}) {
    const std::vector<Leaf*> chosen = changed_ones(leaves, slower);
    if (chosen.empty()) continue;
    std::vector<Argument> arguments = {named_text("kernel", kernel), named_text("module", place_of(chosen))};
    const LeafSums sums = sums_of(chosen);
    add_work_arguments(sums, arguments);
    ledger.claim("kernel_time", chosen, std::move(arguments), case_of(sums));
  }
}

/// The same kernels, as often and in the same configuration, that take longer or shorter.
void claim_kernel_time(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> kernels;
  for (Leaf* leaf : ledger.open_kernels()) kernels[leaf->key.name].push_back(leaf);
  for (const auto& [kernel, leaves] : kernels) claim_kernel(ledger, kernel, leaves);
}

}  // namespace
}  // namespace kernel_time

extern const CauseRule kernel_time_cause;
const CauseRule kernel_time_cause{"kernel_time", kernel_time::claim_kernel_time};

}  // namespace sonde::gate
