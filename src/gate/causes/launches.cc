#include <cmath>
#include <map>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/place.h"

namespace sonde::gate {
namespace launches {
namespace {

/// Launched so much more or less often that this explains the change, or came about with another duration of each.
bool count_changed(const Leaf& leaf) {
  constexpr double kPart = 0.02;
  return std::abs(leaf.count_change()) > kPart * std::max(leaf.base.count, leaf.changed.count);
}

bool is_kernel(const Leaf& leaf) { return !leaf.key.idle && leaf.key.kind == WorkKind::kernel; }

/// Kernels that are launched so many times as often, with the same change of shape.
struct Group {
  bool more = false;
  bool longer = false;
  double times = 0;
  std::string detail;
  auto operator<=>(const Group&) const = default;
};

void claim_group(CauseLedger& ledger, const Group& group, const std::vector<Leaf*>& leaves) {
  std::vector<Argument> arguments = {named_text("kernel", kernel_names(leaves)),
                                     named_text("module", place_of(leaves))};
  const LeafSums sums = sums_of(leaves);
  add_work_arguments(sums, arguments);
  const bool reshaped = !group.detail.empty();
  if (reshaped) arguments.push_back(named_text("detail", group.detail));
  CauseEntry* entry =
      ledger.claim(reshaped ? "launches_reshaped" : "launches", leaves, std::move(arguments), case_of(sums));
  if (entry != nullptr) entry->launches = sums.changed.count - sums.base.count;
}

Group group_of(const CauseLedger& ledger, const Leaf& leaf) {
  constexpr double kTenths = 10;
  const double times = leaf.base.count > 0 ? leaf.changed.count / leaf.base.count : 0;
  const auto shape = ledger.shapes().find(leaf.key.name);
  return {.more = leaf.count_change() > 0,
          .longer = leaf.open_ns > 0,
          .times = std::round(times * kTenths) / kTenths,
          .detail = shape == ledger.shapes().end() ? std::string() : shape->second};
}

/// The same kernels, launched more or less often: those that are so in the same way are one cause.
void claim_launches(CauseLedger& ledger) {
  std::map<Group, std::vector<Leaf*>> groups;
  for (Leaf* leaf : ledger.open([](const Leaf& leaf) { return is_kernel(leaf) && count_changed(leaf); })) {
    groups[group_of(ledger, *leaf)].push_back(leaf);
  }
  for (const auto& [group, leaves] : groups) claim_group(ledger, group, leaves);
}

}  // namespace
}  // namespace launches

extern const CauseRule launches_cause;
const CauseRule launches_cause{"launches", launches::claim_launches};

}  // namespace sonde::gate
