#include "gate/difference/call_changes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gate/difference/place.h"

namespace sonde::gate {
namespace {

/// Names that have a quarter of the change at least, the most first.
std::string main_names(const std::map<std::string, double>& changes) {
  constexpr double kPart = 0.25;
  std::vector<std::pair<std::string, double>> sorted(changes.begin(), changes.end());
  const auto weight = [](const auto& change) { return std::abs(change.second); };
  std::ranges::stable_sort(sorted, std::greater(), weight);
  std::string names;
  for (const auto& change : sorted) {
    if (weight(change) < kPart * weight(sorted.front())) break;
    names += (names.empty() ? "" : ", ") + change.first;
  }
  return names;
}

}  // namespace

CallsChanged calls_changed(const Leaves& leaves, const std::function<bool(const CallChange&)>& chosen) {
  CallsChanged found;
  std::map<std::string, double> by_name;
  Weights weights;
  for (const CallChange& call : leaves.calls) {
    if (!chosen(call)) continue;
    found.base_count += call.base.count;
    found.count += call.changed.count;
    by_name[call.name] += call.count_change();
    weights.emplace_back(call.module, call.count_change());
  }
  found.names = main_names(by_name);
  found.place = place_of(weights);
  return found;
}

CauseEntry* claim_calls(CauseLedger& ledger, std::string_view family, const CallsChanged& calls,
                        std::span<Leaf* const> leaves) {
  /// A hundredth of them, and of one a step: fewer are those of single steps.
  constexpr double kPart = 0.01;
  if (std::abs(calls.change()) < kPart * std::max(calls.base_count, 1.0)) return nullptr;
  if ((open_sum(leaves) > 0) != (calls.change() > 0)) return nullptr;
  const CauseCase facts{.figure = direction(calls.base_count, calls.count)};
  CauseEntry* entry = ledger.claim(family, leaves,
                                   {named_text("calls", calls.names), named_text("module", calls.place),
                                    named_count("base_count", calls.base_count), named_count("count", calls.count)},
                                   facts);
  if (entry != nullptr) entry->waits = true;
  return entry;
}

}  // namespace sonde::gate
