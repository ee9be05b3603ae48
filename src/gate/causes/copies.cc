#include <cmath>
#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace copies {
namespace {

std::string_view id_of(double count_change, double base_count, int64_t change_ns) {
  constexpr double kPart = 0.02;
  if (count_change > kPart * base_count) return "copies_more";
  if (count_change < -kPart * base_count) return "copies_fewer";
  return change_ns > 0 ? "copies_slower" : "copies_faster";
}

/// Copies of a direction: more or fewer, or longer ones.
void claim_copies(CauseLedger& ledger) {
  std::map<std::string, std::vector<Leaf*>> directions;
  for (Leaf* leaf : ledger.open_copies()) directions[leaf->key.name].push_back(leaf);
  for (const auto& [direction, leaves] : directions) {
    double count_change = 0;
    double base_count = 0;
    for (const Leaf* leaf : leaves) {
      count_change += leaf->count_change();
      base_count += leaf->base.count;
    }
    std::vector<Argument> arguments = {named_text("direction", direction), named_text("module", place_of(leaves))};
    add_count_arguments(leaves, arguments);
    CauseEntry* entry = ledger.claim(id_of(count_change, base_count, open_sum(leaves)), leaves, std::move(arguments));
    if (entry != nullptr) {
      entry->launches = count_change;
      entry->overlaps = true;
    }
  }
}

}  // namespace
}  // namespace copies

extern const CauseRule copies_cause;
const CauseRule copies_cause{"copies", copies::claim_copies};

}  // namespace sonde::gate
