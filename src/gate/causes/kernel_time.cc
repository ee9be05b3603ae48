#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace kernel_time {
namespace {

double mean_of(const std::vector<Leaf*>& leaves, LeafSide Leaf::* side) {
  double duration_ns = 0;
  double count = 0;
  for (const Leaf* leaf : leaves) {
    duration_ns += (leaf->*side).duration_ns;
    count += (leaf->*side).count;
  }
  return count > 0 ? duration_ns / count : 0;
}

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
    std::vector<Argument> arguments = {named_text("kernel", kernel), named_text("module", place_of(chosen)),
                                       named_time("base_mean", mean_of(chosen, &Leaf::base)),
                                       named_time("mean", mean_of(chosen, &Leaf::changed))};
    add_count_arguments(chosen, arguments);
    ledger.claim(slower ? "kernel_slower" : "kernel_faster", chosen, std::move(arguments));
  }
}

/// The same kernels, as often and in the same configuration, that take longer or shorter.
void claim_kernel_time(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> kernels;
  for (Leaf* leaf : ledger.open([](const Leaf& leaf) { return !leaf.key.idle; })) {
    kernels[work_name(leaf->key)].push_back(leaf);
  }
  for (const auto& [kernel, leaves] : kernels) claim_kernel(ledger, kernel, leaves);
}

}  // namespace
}  // namespace kernel_time

extern const CauseRule kernel_time_cause;
const CauseRule kernel_time_cause{"kernel_time", kernel_time::claim_kernel_time};

}  // namespace sonde::gate
