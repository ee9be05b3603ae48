#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"
#include "gate/difference/renamed_kernels.h"

namespace sonde::gate {
namespace renamed {
namespace {

/// Kernels that have another name on the new side (renamed_kernels.h).
void claim_renamed(CauseLedger& ledger) {
  std::map<std::pair<std::string, std::string>, std::vector<Leaf*>> names;
  for (Leaf* leaf : ledger.open_kernels()) {
    if (!leaf->new_name.empty()) names[{leaf->key.name, leaf->new_name}].push_back(leaf);
  }
  for (const auto& [name, leaves] : names) {
    std::vector<Argument> arguments = {named_text("kernel", name.first),
                                       named_text("names", name_change(name.first, name.second)),
                                       named_text("module", place_of(leaves))};
    const LeafSums sums = sums_of(leaves);
    add_work_arguments(sums, arguments);
    ledger.claim("renamed", leaves, std::move(arguments), case_of(sums));
  }
}

}  // namespace
}  // namespace renamed

extern const CauseRule renamed_cause;
const CauseRule renamed_cause{"renamed", renamed::claim_renamed};

}  // namespace sonde::gate
