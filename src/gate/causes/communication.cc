#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace communication {
namespace {

/// Collectives last until the slowest GPU has come: their time changes with that of other work.
void claim_communication(CauseLedger& ledger) {
  std::vector<Leaf*> leaves;
  for (Leaf* leaf : ledger.open_kernels()) {
    if (leaf->key.communication) leaves.push_back(leaf);
  }
  std::vector<Argument> arguments = {named_text("module", place_of(leaves))};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  CauseEntry* entry = ledger.claim("communication", leaves, std::move(arguments), case_of(sums));
  if (entry != nullptr) entry->overlaps = true;
}

}  // namespace
}  // namespace communication

extern const CauseRule communication_cause;
const CauseRule communication_cause{"communication", communication::claim_communication};

}  // namespace sonde::gate
