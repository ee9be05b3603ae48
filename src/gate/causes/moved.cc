#include <algorithm>
#include <cmath>
#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace moved {
namespace {

/// Work by its kind and name, in whatever module.
using Work = std::pair<WorkKind, std::string>;
/// The modules that work left, and those that it came to.
using Move = std::pair<std::string, std::string>;

bool alike(double a, double b, double part) { return std::abs(a - b) <= part * std::max(a, b); }

bool can_move(const Leaf& leaf) {
  constexpr double kPart = 0.02;
  return !leaf.key.idle && leaf.key.kind != WorkKind::graph_launch && !alike(leaf.base.count, leaf.changed.count, kPart);
}

/// As often on both sides; copies and memsets may be cut into other pieces.
bool is_same_work(const LeafSums& sums) {
  constexpr double kPart = 0.02;
  constexpr double kBytesPart = 0.1;
  if (alike(sums.base.count, sums.changed.count, kPart)) return true;
  return sums.base.bytes > 0 && alike(sums.base.bytes, sums.changed.bytes, kBytesPart);
}

/// Between which modules, where some launch less of it and some more.
std::optional<Move> move_of(const std::vector<Leaf*>& leaves) {
  Weights from;
  Weights to;
  for (const Leaf* leaf : leaves) {
    (leaf->count_change() < 0 ? from : to).emplace_back(leaf->key.module, leaf->count_change());
  }
  if (from.empty() || to.empty()) return std::nullopt;
  return Move{place_of(from), place_of(to)};
}

void claim_move(CauseLedger& ledger, const Move& move, const std::vector<Leaf*>& leaves) {
  std::vector<Argument> arguments = {named_text("what", kernel_names(leaves)), named_text("base_module", move.first),
                                     named_text("module", move.second)};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  if (ledger.claim("moved", leaves, std::move(arguments), case_of(sums)) != nullptr) return;
  for (Leaf* leaf : leaves) leaf->open_ns = 0;  // neither added nor removed: what is left of it is small
}

/// Work that other modules launch now: it is neither new nor gone.
void claim_moved(CauseLedger& ledger) {
  std::map<Work, std::vector<Leaf*>> all;
  for (Leaf* leaf : ledger.open(can_move)) all[{leaf->key.kind, leaf->key.name}].push_back(leaf);
  std::map<Move, std::vector<Leaf*>> moves;
  for (const auto& [work, leaves] : all) {
    const auto move = move_of(leaves);
    if (!move || move->first == move->second || !is_same_work(sums_of(leaves))) continue;
    std::ranges::copy(leaves, std::back_inserter(moves[*move]));
  }
  for (const auto& [move, leaves] : moves) claim_move(ledger, move, leaves);
}

}  // namespace
}  // namespace moved

extern const CauseRule moved_cause;
const CauseRule moved_cause{"moved", moved::claim_moved};

}  // namespace sonde::gate
