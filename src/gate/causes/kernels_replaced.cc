#include <algorithm>
#include <map>
#include <set>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace kernels_replaced {
namespace {

/// What became of the kernels of a module by name.
struct Exchange {
  std::set<std::string> removed;
  std::set<std::string> added;
  auto operator<=>(const Exchange&) const = default;
};

bool only_in(const LeafSide& side, const LeafSide& other) { return side.there && !other.there; }

/// Leaves by module, and what was exchanged there.
using ByModule = std::map<std::string, std::vector<Leaf*>>;

Exchange exchange_of(const std::vector<Leaf*>& leaves) {
  Exchange found;
  for (const Leaf* leaf : leaves) {
    if (only_in(leaf->base, leaf->changed)) found.removed.insert(leaf->key.name);
    if (only_in(leaf->changed, leaf->base)) found.added.insert(leaf->key.name);
  }
  return found;
}

/// Where kernels were exchanged for others, that a kernel runs more or less often is part of it.
bool belongs(const Exchange& exchange, const Leaf& leaf) {
  if (leaf.base.there != leaf.changed.there) return true;
  constexpr double kOften = 0.1;
  const bool both = !exchange.removed.empty() && !exchange.added.empty();
  return both && std::abs(leaf.count_change()) > kOften * leaf.base.count;
}

/// "a", "a and 2 others"
std::string names_text(const std::set<std::string>& names, const std::vector<Leaf*>& leaves) {
  std::map<std::string, int64_t> by_name;
  for (const Leaf* leaf : leaves) {
    if (names.contains(leaf->key.name)) by_name[leaf->key.name] += std::abs(leaf->change_ns());
  }
  const auto most = std::ranges::max_element(by_name, {}, [](const auto& entry) { return entry.second; });
  return most == by_name.end() ? std::string() : most->first;
}

void claim_exchange(CauseLedger& ledger, const Exchange& exchange, const std::vector<Leaf*>& leaves) {
  std::vector<Argument> arguments = {named_text("module", place_of(leaves)),
                                     named_text("removed", names_text(exchange.removed, leaves)),
                                     named_text("added", names_text(exchange.added, leaves)),
                                     named_count("removed_names", static_cast<double>(exchange.removed.size())),
                                     named_count("added_names", static_cast<double>(exchange.added.size()))};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  CauseEntry* entry = ledger.claim("kernels_replaced", leaves, std::move(arguments), case_of(sums));
  if (entry != nullptr) entry->launches = sums.changed.count - sums.base.count;
}

/// Kernels of a module that others took the place of; modules with the same exchange are one cause.
void claim_kernels_replaced(CauseLedger& ledger) {
  ByModule modules;
  for (Leaf* leaf : ledger.open_kernels()) modules[leaf->key.module].push_back(leaf);
  std::map<Exchange, std::vector<Leaf*>> exchanges;
  for (const auto& [module, leaves] : modules) {
    const Exchange exchange = exchange_of(leaves);
    for (Leaf* leaf : leaves) {
      if (belongs(exchange, *leaf)) exchanges[exchange].push_back(leaf);
    }
  }
  for (const auto& [exchange, leaves] : exchanges) claim_exchange(ledger, exchange, leaves);
}

}  // namespace
}  // namespace kernels_replaced

extern const CauseRule kernels_replaced_cause;
const CauseRule kernels_replaced_cause{"kernels_replaced", kernels_replaced::claim_kernels_replaced};

}  // namespace sonde::gate
