#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace copies {
namespace {

/// Copies of a direction: more or fewer, or longer ones.
void claim_copies(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> directions;
  for (Leaf* leaf : ledger.open_copies()) directions[leaf->key.name].push_back(leaf);
  for (const auto& [direction, leaves] : directions) {
    std::vector<Argument> arguments = {named_text("direction", direction), named_text("module", place_of(leaves))};
    const LeafSums sums = sums_of(leaves);
    add_work_arguments(sums, arguments);
    CauseEntry* entry = ledger.claim("copies", leaves, std::move(arguments), case_of(sums));
    if (entry == nullptr) continue;
    entry->launches = sums.changed.count - sums.base.count;
    entry->overlaps = true;
  }
}

}  // namespace
}  // namespace copies

extern const CauseRule copies_cause;
const CauseRule copies_cause{"copies", copies::claim_copies};

}  // namespace sonde::gate
