#include "analyses/gpus/idle_totals.h"

#include <algorithm>

#include "analyses/tables/grouping.h"

namespace sonde {
namespace {

constexpr auto kCauses = static_cast<size_t>(IdleCause::count_);

/// The longest pieces met so far, as a heap with the shortest of them on top.
void keep_longest(std::vector<IdlePiece>& longest, const IdlePiece& piece, size_t most) {
  const auto longer = [](const IdlePiece& a, const IdlePiece& b) {
    return std::pair(a.end_ns - a.start_ns, b.start_ns) > std::pair(b.end_ns - b.start_ns, a.start_ns);
  };
  longest.push_back(piece);
  std::ranges::push_heap(longest, longer);
  if (longest.size() <= most) return;
  std::ranges::pop_heap(longest, longer);
  longest.pop_back();
}

}  // namespace

int64_t IdleTotals::total(IdleCause cause) const {
  int64_t sum = 0;
  for (const OfCauses& causes : of_gpu) sum += causes[static_cast<size_t>(cause)];
  return sum;
}

IdleTotals idle_totals(const Trace& trace, const Gpus& gpus, Span extent,
                       const std::function<bool(const IdlePiece&)>& counts) {
  constexpr size_t kKept = 10;
  IdleTotals totals;
  totals.of_gpu.assign(gpus.gpus.size(), {});
  totals.longest.resize(kCauses);
  Grouping<std::pair<uint8_t, NameId>> groups;
  for_each_idle_piece(trace, gpus, extent, [&](const IdlePiece& piece) {
    if (counts && !counts(piece)) return;
    const auto cause = static_cast<uint8_t>(piece.cause);
    const int64_t ns = piece.end_ns - piece.start_ns;
    totals.of_gpu[piece.gpu][cause] += ns;
    const uint32_t group = groups.group_of({cause, piece.name});
    if (group == totals.by_name.size()) totals.by_name.push_back({piece.cause, piece.name});
    totals.by_name[group].ns += ns;
    ++totals.by_name[group].pieces;
    keep_longest(totals.longest[cause], piece, kKept);
  });
  std::ranges::stable_sort(totals.by_name, std::greater(), &IdleWhile::ns);
  for (auto& pieces : totals.longest) {
    std::ranges::stable_sort(
        pieces, [](const IdlePiece& a, const IdlePiece& b) { return a.end_ns - a.start_ns > b.end_ns - b.start_ns; });
  }
  return totals;
}

}  // namespace sonde
