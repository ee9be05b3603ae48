#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace idle {
namespace {

/// Idle time by cause, that nothing above explains: more or less host work, waits, page faults.
void claim_idle(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> causes;
  for (Leaf* leaf : ledger.open([](const Leaf& leaf) { return leaf.key.idle; })) {
    causes[leaf->key.name].push_back(leaf);
  }
  for (const auto& [cause, leaves] : causes) {
    std::vector<Argument> arguments = {named_text("cause", idle_title(cause)), named_text("module", place_of(leaves))};
    const CauseCase facts = add_time_arguments(leaves, arguments);
    ledger.claim("idle", leaves, std::move(arguments), facts);
  }
}

}  // namespace
}  // namespace idle

extern const CauseRule idle_cause;
const CauseRule idle_cause{"idle", idle::claim_idle};

}  // namespace sonde::gate
