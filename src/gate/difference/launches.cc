#include <cmath>
#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace {

/// Launched so much more or less often that this explains the change, or came about with another duration of each.
bool count_changed(const Leaf& leaf) {
  constexpr double kPart = 0.02;
  return std::abs(leaf.count_change()) > kPart * std::max(leaf.base.count, leaf.changed.count);
}

bool is_launched(const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind != WorkKind::copy; }

void claim_kernel(CauseLedger& ledger, const std::string& name, const std::vector<Leaf*>& leaves) {
  double launches = 0;
  for (const Leaf* leaf : leaves) launches += leaf->count_change();
  std::vector<Argument> arguments = {told("kernel", name), told("module", place_of(leaves))};
  tell_counts(leaves, arguments);
  const auto shape = ledger.shapes().find(name);
  const bool more = launches > 0;
  const bool reshaped = shape != ledger.shapes().end();
  if (reshaped) arguments.push_back(told("detail", shape->second));
  const std::string_view id = reshaped ? (more ? "launches_more_reshaped" : "launches_fewer_reshaped")
                                       : (more ? "launches_more" : "launches_fewer");
  if (CauseEntry* entry = ledger.claim(id, leaves, std::move(arguments))) entry->launches = launches;
}

/// The same kernels, launched more or less often.
void claim_launches(CauseLedger& ledger) {
  std::map<std::pair<std::string, bool>, std::vector<Leaf*>> kernels;
  for (Leaf* leaf : ledger.open([](const Leaf& leaf) { return is_launched(leaf) && count_changed(leaf); })) {
    kernels[{work_name(leaf->key), leaf->count_change() > 0}].push_back(leaf);
  }
  for (const auto& [key, leaves] : kernels) claim_kernel(ledger, key.first, leaves);
}

}  // namespace

extern const CauseRule launches_cause;
const CauseRule launches_cause{"launches", claim_launches};

}  // namespace sonde::gate
