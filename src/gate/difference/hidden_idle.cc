#include <algorithm>
#include <array>
#include <cmath>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace {

/// Idle time that ends when the host has caught up or what came before is done: it moves from one of these causes to
/// another when anything else takes longer.
constexpr std::array<std::string_view, 10> kMoves = {"queued", "start",   "synchronization", "copy", "launch",
                                                     "api",    "os_call", "library",         "range", "host"};

CauseEntry* greatest(std::vector<CauseEntry>& entries, bool positive) {
  CauseEntry* found = nullptr;
  for (CauseEntry& entry : entries) {
    if ((entry.change_ns() > 0) != positive) continue;
    if (found == nullptr || std::abs(entry.change_ns()) > std::abs(found->change_ns())) found = &entry;
  }
  return found;
}

/// A cause that stands out hides idle time that was there before, or bares what it hid: the GPU waits less for the host
/// when its own work takes longer. What changed the other way is that cause's, as far as it does not turn it round.
void claim_hidden_idle(CauseLedger& ledger) {
  const std::vector<Leaf*> leaves = ledger.open_idle(kMoves);
  const int64_t open = open_sum(leaves);
  CauseEntry* cause = greatest(ledger.entries(), open < 0);
  if (open == 0 || cause == nullptr || std::abs(open) >= std::abs(cause->change_ns())) return;
  CauseLedger::add(*cause, leaves);
}

}  // namespace

extern const CauseRule hidden_idle_cause;
const CauseRule hidden_idle_cause{"hidden_idle", claim_hidden_idle};

}  // namespace sonde::gate
