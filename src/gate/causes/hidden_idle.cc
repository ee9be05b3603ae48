#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace hidden_idle {
namespace {

/// Idle time that ends when the host has caught up or what came before is done: it moves from one of these causes to
/// another when anything else takes longer.
constexpr std::array<std::string_view, 10> kMoves = {"queued", "start",   "synchronization", "copy",  "launch",
                                                     "api",    "os_call", "library",         "range", "host"};

/// Waits that were added bare the host's work, which had run ahead of the GPU; those that are gone hide it again.
CauseEntry* barer(std::vector<CauseEntry>& entries, int64_t open) {
  CauseEntry* found =
      greatest(entries, [&](const CauseEntry& entry) { return entry.waits && (entry.change_ns() > 0) == (open > 0); });
  return found != nullptr && std::abs(open) <= 2 * std::abs(found->change_ns()) ? found : nullptr;
}

/// Any other cause hides idle time that was there before, or bares what it hid: the GPU waits less for the host when
/// its own work takes longer. What changed the other way is that cause's, as far as it does not turn it round.
CauseEntry* hider(std::vector<CauseEntry>& entries, int64_t open) {
  CauseEntry* found = greatest(entries, [&](const CauseEntry& entry) { return (entry.change_ns() > 0) != (open > 0); });
  return found != nullptr && std::abs(open) < std::abs(found->change_ns()) ? found : nullptr;
}

void claim_hidden_idle(CauseLedger& ledger) {
  const std::vector<Leaf*> leaves = ledger.open_idle(kMoves);
  const int64_t open = open_sum(leaves);
  if (open == 0) return;
  CauseEntry* cause = barer(ledger.entries(), open);
  if (cause == nullptr) cause = hider(ledger.entries(), open);
  if (cause != nullptr) CauseLedger::add(*cause, leaves);
}

}  // namespace
}  // namespace hidden_idle

extern const CauseRule hidden_idle_cause;
const CauseRule hidden_idle_cause{"hidden_idle", hidden_idle::claim_hidden_idle};

}  // namespace sonde::gate
