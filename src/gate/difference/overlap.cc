#include <algorithm>
#include <cmath>

#include "gate/difference/cause_ledger.h"

namespace sonde::gate {
namespace {

/// The busiest cause of work that runs beside other work and changed the other way.
CauseEntry* opposite(std::vector<CauseEntry>& entries, int64_t change_ns) {
  CauseEntry* found = nullptr;
  for (CauseEntry& entry : entries) {
    if (!entry.overlaps || (entry.busy_ns > 0) == (change_ns > 0)) continue;
    if (found == nullptr || std::abs(entry.busy_ns) > std::abs(found->busy_ns)) found = &entry;
  }
  return found;
}

/// Work shares the GPU's time with what runs beside it: copies that take longer behind kernels leave these less of it,
/// without any of both changing the busy time. So what others lost is the copies' again; what is left is that more, or
/// less, runs side by side.
void claim_overlap(CauseLedger& ledger) {
  int64_t change_ns = 0;
  for (Leaf& leaf : ledger.all().leaves) change_ns += leaf.open_overlap_ns;
  CauseEntry* taker = opposite(ledger.entries(), change_ns);
  if (taker == nullptr && std::abs(change_ns) < ledger.least_ns()) return;
  for (Leaf& leaf : ledger.all().leaves) leaf.open_overlap_ns = 0;
  if (taker != nullptr) {
    taker->busy_ns += change_ns;
    return;
  }
  CauseEntry& entry = ledger.entries().emplace_back();
  entry.id = change_ns > 0 ? "overlap_less" : "overlap_more";
  entry.busy_ns = change_ns;
}

}  // namespace

extern const CauseRule overlap_cause;
const CauseRule overlap_cause{"overlap", claim_overlap};

}  // namespace sonde::gate
