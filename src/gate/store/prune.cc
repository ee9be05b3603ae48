#include "gate/store/prune.h"

#include "gate/store/choose_baseline.h"

namespace sonde::gate {
namespace {

size_t newer_ones(std::span<const BaselineEntry> entries, size_t index) {
  const BaselineEntry& entry = entries[index];
  size_t count = 0;
  for (const BaselineEntry& other : entries.subspan(index + 1)) {
    const bool comparable = conditions_forbid(entry.conditions, other.conditions) != Forbids::everything;
    if (!other.pinned && other.name == entry.name && comparable) ++count;
  }
  return count;
}

}  // namespace

std::vector<BaselineEntry> entries_to_prune(std::span<const BaselineEntry> entries, const PruneRule& rule) {
  std::vector<BaselineEntry> pruned;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].pinned) continue;
    if (rule.before_s && entries[i].time_s >= *rule.before_s) continue;
    if (rule.keep && newer_ones(entries, i) < *rule.keep) continue;
    if (rule.keep || rule.before_s) pruned.push_back(entries[i]);
  }
  return pruned;
}

}  // namespace sonde::gate
