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
    double base_ns = 0;
    double changed_ns = 0;
    for (const Leaf* leaf : leaves) {
      base_ns += static_cast<double>(leaf->base.ns);
      changed_ns += static_cast<double>(leaf->changed.ns);
    }
    ledger.claim(changed_ns > base_ns ? "idle_more" : "idle_less", leaves,
                 {named_text("cause", idle_title(cause)), named_text("module", place_of(leaves)),
                  named_time("base_time", base_ns), named_time("time", changed_ns)});
  }
}

}  // namespace
}  // namespace idle

extern const CauseRule idle_cause;
const CauseRule idle_cause{"idle", idle::claim_idle};

}  // namespace sonde::gate
