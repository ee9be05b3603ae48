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

/// Copies of one direction and kind of host memory, a step or run.
struct Amount {
  double count = 0;
  double bytes = 0;
};
struct Amounts {
  Amount pageable;
  Amount pinned;
};

void add(Amount& sum, const LeafSide& side) {
  sum.count += side.count;
  sum.bytes += side.bytes;
}

Amounts amounts_of(const Leaves& leaves, std::string_view direction, LeafSide Leaf::* side) {
  Amounts amounts;
  for (const Leaf& leaf : leaves.leaves) {
    if (is_copy_of(leaf, direction)) add(leaf.key.pageable ? amounts.pageable : amounts.pinned, leaf.*side);
  }
  return amounts;
}

/// Whether most of what one kind of memory lost (`from` of the base, `from_now`) is in the other kind now. Copies that
/// vanished, or that are new, turned from nothing to nothing.
bool turned(const Amounts& base, const Amounts& changed, Amount Amounts::* from, Amount Amounts::* to) {
  const bool sized = (base.*from).bytes > 0 && (changed.*to).bytes > 0;
  const auto amount = [&](const Amount& a) { return sized ? a.bytes : a.count; };
  const double lost = amount(base.*from) - amount(changed.*from);
  const double won = amount(changed.*to) - amount(base.*to);
  const double all = amount(base.pageable) + amount(base.pinned);
  constexpr double kMinPart = 0.1;  // fewer are those of single steps
  return lost > kMinPart * all && won >= lost / 2;
}

/// Idle time that a copy's call is the reason for: pageable memory makes cudaMemcpyAsync wait too.
std::vector<Leaf*> idle_in_copies(CauseLedger& ledger) {
  return ledger.open(
      [](const Leaf& leaf) { return leaf.key.idle && (leaf.key.name == "copy" || leaf.key.what.contains("Memcpy")); });
}

void claim_direction(CauseLedger& ledger, const std::string& direction_name) {
  const Amounts base = amounts_of(ledger.all(), direction_name, &Leaf::base);
  const Amounts changed = amounts_of(ledger.all(), direction_name, &Leaf::changed);
  const bool more = turned(base, changed, &Amounts::pinned, &Amounts::pageable);
  const bool fewer = turned(base, changed, &Amounts::pageable, &Amounts::pinned);
  if (!more && !fewer) return;
  std::vector<Leaf*> leaves = ledger.open([&](const Leaf& leaf) { return is_copy_of(leaf, direction_name); });
  Weights weights;
  for (const Leaf* leaf : leaves) {
    if (leaf->key.pageable) weights.emplace_back(leaf->key.module, leaf->count_change());
  }
  std::ranges::copy(idle_in_copies(ledger), std::back_inserter(leaves));
  if ((open_sum(leaves) > 0) != more) return;
  const double base_count = base.pageable.count;
  const double count = changed.pageable.count;
  CauseEntry* entry = ledger.claim("pageable_copies", leaves,
                                   {named_text("direction", direction_name), named_text("module", place_of(weights)),
                                    named_count("base_count", base_count), named_count("count", count)},
                                   {.figure = direction(base_count, count)});
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
