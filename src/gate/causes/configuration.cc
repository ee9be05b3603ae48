#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace configuration {
namespace {

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
    const LeafSums sums = sums_of(leaves);
    add_work_arguments(sums, arguments);
    ledger.claim("configuration", leaves, std::move(arguments), case_of(sums));
  }
}

}  // namespace
}  // namespace configuration

extern const CauseRule configuration_cause;
const CauseRule configuration_cause{"configuration", configuration::claim_configuration};

}  // namespace sonde::gate
