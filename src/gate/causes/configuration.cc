#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace configuration {
namespace {

/// Time of one operation on both sides, in the mean.
void add_mean_arguments(const std::vector<Leaf*>& leaves, std::vector<Argument>& arguments) {
  LeafSide base;
  LeafSide changed;
  for (const Leaf* leaf : leaves) {
    base.duration_ns += leaf->base.duration_ns;
    base.count += leaf->base.count;
    changed.duration_ns += leaf->changed.duration_ns;
    changed.count += leaf->changed.count;
  }
  arguments.push_back(named_time("base_mean", base.count > 0 ? base.duration_ns / base.count : 0));
  arguments.push_back(named_time("mean", changed.count > 0 ? changed.duration_ns / changed.count : 0));
}

/// The same kernel in another grid, or compiled to other registers or shared memory. Kernels that changed in the same
/// way, as by another option of the compiler, are one cause.
void claim_configuration(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> details;
  for (Leaf* leaf : ledger.open_kernels()) {
    const auto shape = ledger.shapes().find(leaf->key.name);
    if (shape != ledger.shapes().end()) details[shape->second].push_back(leaf);
  }
  for (const auto& [detail, leaves] : details) {
    std::vector<Argument> arguments = {named_text("kernel", kernel_names(leaves)),
                                       named_text("module", place_of(leaves)), named_text("detail", detail)};
    add_mean_arguments(leaves, arguments);
    ledger.claim(open_sum(leaves) > 0 ? "configuration_slower" : "configuration_faster", leaves, std::move(arguments));
  }
}

}  // namespace
}  // namespace configuration

extern const CauseRule configuration_cause;
const CauseRule configuration_cause{"configuration", configuration::claim_configuration};

}  // namespace sonde::gate
