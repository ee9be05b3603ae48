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
struct Move {
  WorkKind kind = WorkKind::kernel;
  std::string from;
  std::string to;
  auto operator<=>(const Move&) const = default;
};

bool alike(double a, double b, double part) { return std::abs(a - b) <= part * std::max(a, b); }

bool can_move(const Leaf& leaf) {
  constexpr double kPart = 0.02;
  return !leaf.key.idle && leaf.key.kind != WorkKind::graph_launch &&
         !alike(leaf.base.count, leaf.changed.count, kPart);
}

/// As often on both sides; copies and memsets may be cut into other pieces.
bool is_same_work(const LeafSums& sums) {
  constexpr double kPart = 0.02;
  constexpr double kBytesPart = 0.1;
  if (alike(sums.base.count, sums.changed.count, kPart)) return true;
  return sums.base.bytes > 0 && alike(sums.base.bytes, sums.changed.bytes, kBytesPart);
}

/// Between which modules, where some launch less of it and some more.
std::optional<Move> move_of(WorkKind kind, const std::vector<Leaf*>& leaves) {
  Weights from;
  Weights to;
  for (const Leaf* leaf : leaves) {
    (leaf->count_change() < 0 ? from : to).emplace_back(leaf->key.module, leaf->count_change());
  }
  if (from.empty() || to.empty()) return std::nullopt;
  return Move{kind, place_of(from), place_of(to)};
}

std::string name_of(const Move& move, const std::vector<Leaf*>& leaves) {
  if (move.kind == WorkKind::set) return "Memsets";
  return move.kind == WorkKind::copy ? leaves.front()->key.name + " copies" : kernel_names(leaves);
}

/// What runs beside it elsewhere changed its share of the GPU's time: that is not what it takes itself.
void leave_overlap(const LeafSums& sums, const std::vector<Leaf*>& leaves) {
  if (sums.base.duration_ns <= 0) return;
  const double own = static_cast<double>(sums.base.ns) * (sums.changed.duration_ns / sums.base.duration_ns - 1);
  const int64_t overlap = open_sum(leaves) - std::llround(own);
  Leaf* const largest = *std::ranges::max_element(leaves, {}, [](const Leaf* leaf) { return leaf->changed.ns; });
  largest->open_ns -= overlap;
  largest->open_overlap_ns += overlap;
}

/// Pieces of another size take another time.
CauseCase facts_of(const LeafSums& sums) {
  CauseCase facts = case_of(sums);
  if (facts.figure != Direction::even) facts.each = Direction::even;
  return facts;
}

void claim_move(CauseLedger& ledger, const Move& move, const std::vector<Leaf*>& leaves) {
  std::vector<Argument> arguments = {named_text("what", name_of(move, leaves)), named_text("base_module", move.from),
                                     named_text("module", move.to)};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  leave_overlap(sums, leaves);
  if (ledger.claim("moved", leaves, std::move(arguments), facts_of(sums)) != nullptr) return;
  for (Leaf* leaf : leaves) leaf->open_ns = 0;  // neither added nor removed: what is left of it is small
}

/// Work that other modules launch now: it is neither new nor gone.
void claim_moved(CauseLedger& ledger) {
  std::map<Work, std::vector<Leaf*>> all;
  for (Leaf* leaf : ledger.open(can_move)) all[{leaf->key.kind, leaf->key.name}].push_back(leaf);
  std::map<Move, std::vector<Leaf*>> moves;
  for (const auto& [work, leaves] : all) {
    const auto move = move_of(work.first, leaves);
    if (!move || move->from == move->to || !is_same_work(sums_of(leaves))) continue;
    std::ranges::copy(leaves, std::back_inserter(moves[*move]));
  }
  for (const auto& [move, leaves] : moves) claim_move(ledger, move, leaves);
}

}  // namespace
}  // namespace moved

extern const CauseRule moved_cause;
const CauseRule moved_cause{"moved", moved::claim_moved};

}  // namespace sonde::gate
