#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace overlap {
namespace {

/// Copies that take longer beside kernels leave these less of the GPU's time, without either changing the busy time.
CauseEntry* opposite(std::vector<CauseEntry>& entries, int64_t change_ns) {
  return greatest(entries, [&](const CauseEntry& entry) {
    return entry.overlaps && (entry.busy_ns > 0) != (change_ns > 0) && std::abs(entry.busy_ns) >= std::abs(change_ns);
  });
}

/// Waits that were added put one behind another what ran side by side.
CauseEntry* waiting(std::vector<CauseEntry>& entries, int64_t change_ns) {
  return greatest(entries,
                  [&](const CauseEntry& entry) { return entry.waits && (entry.change_ns() > 0) == (change_ns > 0); });
}

/// The cause that stands out beside all others: what else came of it is its own.
CauseEntry* dominant(std::vector<CauseEntry>& entries, int64_t change_ns) {
  constexpr double kMost = 0.7;
  constexpr int64_t kMaxTimes = 4;
  CauseEntry* found = greatest(entries, [](const CauseEntry&) { return true; });
  if (found == nullptr || std::abs(change_ns) > kMaxTimes * std::abs(found->change_ns())) return nullptr;
  if ((found->change_ns() > 0) != (change_ns > 0) && std::abs(change_ns) >= std::abs(found->change_ns())) {
    return nullptr;
  }
  double all = 0;
  for (const CauseEntry& entry : entries) all += static_cast<double>(std::abs(entry.change_ns()));
  return static_cast<double>(std::abs(found->change_ns())) >= kMost * all ? found : nullptr;
}

/// The work whose share changed most in this direction.
std::vector<Argument> most_changed(std::vector<Leaf>& leaves, int64_t change_ns) {
  std::map<std::string, int64_t> by_name;
  for (const Leaf& leaf : leaves) by_name[work_name(leaf.key)] += leaf.open_overlap_ns * (change_ns > 0 ? 1 : -1);
  const auto most = std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  Weights weights;
  for (const Leaf& leaf : leaves) {
    if (work_name(leaf.key) == most->first) {
      weights.emplace_back(leaf.key.module, static_cast<double>(leaf.open_overlap_ns));
    }
  }
  return {named_text("what", most->first), named_text("module", place_of(weights))};
}

/// Work shares the GPU's time with what runs beside it. What that changed belongs to the cause that brought it about;
/// where no cause can be identified, it is one by itself.
void claim_overlap(CauseLedger& ledger) {
  int64_t change_ns = 0;
  for (const Leaf& leaf : ledger.all().leaves) change_ns += leaf.open_overlap_ns;
  if (change_ns == 0) return;
  CauseEntry* taker = opposite(ledger.entries(), change_ns);
  if (taker == nullptr) taker = waiting(ledger.entries(), change_ns);
  if (taker == nullptr) taker = dominant(ledger.entries(), change_ns);
  if (taker == nullptr) {
    if (std::abs(change_ns) < ledger.least_ns()) return;
    taker = &ledger.entries().emplace_back();
    taker->family = "overlap";
    taker->arguments = most_changed(ledger.all().leaves, change_ns);
  }
  taker->busy_ns += change_ns;
  for (Leaf& leaf : ledger.all().leaves) leaf.open_overlap_ns = 0;
}

}  // namespace
}  // namespace overlap

extern const CauseRule overlap_cause;
const CauseRule overlap_cause{"overlap", overlap::claim_overlap};

}  // namespace sonde::gate
