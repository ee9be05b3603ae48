#include <algorithm>
#include <array>
#include <set>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace pageable_copies {
namespace {

bool is_copy_of(const Leaf& leaf, std::string_view direction) {
  return !leaf.key.idle && leaf.key.kind == WorkKind::copy && leaf.key.name == direction;
}

/// Copies of this direction from or to pageable memory, both sides' counts.
struct Counts {
  double base = 0;
  double changed = 0;
};
Counts pageable_counts(const Leaves& leaves, std::string_view direction) {
  Counts counts;
  for (const Leaf& leaf : leaves.leaves) {
    if (!is_copy_of(leaf, direction) || !leaf.key.pageable) continue;
    counts.base += leaf.base.count;
    counts.changed += leaf.changed.count;
  }
  return counts;
}

/// Idle time that a copy's call is the reason for: pageable memory makes cudaMemcpyAsync wait too.
std::vector<Leaf*> idle_in_copies(CauseLedger& ledger) {
  return ledger.open(
      [](const Leaf& leaf) { return leaf.key.idle && (leaf.key.name == "copy" || leaf.key.what.contains("Memcpy")); });
}

void claim_direction(CauseLedger& ledger, const std::string& direction) {
  const auto [base, changed] = pageable_counts(ledger.all(), direction);
  constexpr double kMinPart = 0.1;  // fewer are those of single steps
  if (std::abs(changed - base) <= kMinPart * std::max(changed, base)) return;
  std::vector<Leaf*> leaves = ledger.open([&](const Leaf& leaf) { return is_copy_of(leaf, direction); });
  Weights weights;
  for (const Leaf* leaf : leaves) {
    if (leaf->key.pageable) weights.emplace_back(leaf->key.module, leaf->count_change());
  }
  std::ranges::copy(idle_in_copies(ledger), std::back_inserter(leaves));
  CauseEntry* entry = ledger.claim(changed > base ? "pageable_copies_more" : "pageable_copies_fewer", leaves,
                                   {named_text("direction", direction), named_text("module", place_of(weights)),
                                    named_count("base_count", base), named_count("count", changed)});
  if (entry != nullptr) entry->overlaps = entry->waits = true;
}

void claim_pageable_copies(CauseLedger& ledger) {
  std::set<std::string> directions;
  for (const Leaf& leaf : ledger.all().leaves) {
    if (!leaf.key.idle && leaf.key.kind == WorkKind::copy) directions.insert(leaf.key.name);
  }
  for (const std::string& direction : directions) claim_direction(ledger, direction);
}

}  // namespace
}  // namespace pageable_copies

extern const CauseRule pageable_copies_cause;
const CauseRule pageable_copies_cause{"pageable_copies", pageable_copies::claim_pageable_copies};

}  // namespace sonde::gate
