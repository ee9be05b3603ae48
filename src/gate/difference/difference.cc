#include "gate/difference/difference.h"

#include <algorithm>

#include "gate/difference/cause_ledger.h"
#include "gate/difference/leaf.h"
#include "gate/difference/levels.h"

namespace sonde::gate {
namespace {

std::optional<int64_t> mean_wall_ns(std::span<const RunRecord> runs) {
  int64_t sum = 0;
  for (const RunRecord& run : runs) sum += run.wall_ns;
  const auto count = static_cast<int64_t>(runs.size());
  if (count == 0 || sum == 0) return std::nullopt;
  return (sum + count / 2) / count;
}

std::optional<int64_t> mean_of_setups(std::span<const RunRecord> runs, std::optional<int64_t> Setup::* what) {
  int64_t sum = 0;
  for (const RunRecord& run : runs) {
    if (!(run.setup.*what)) return std::nullopt;
    sum += *(run.setup.*what);
  }
  const auto count = static_cast<int64_t>(runs.size());
  return count == 0 ? std::nullopt : std::optional((sum + count / 2) / count);
}

Setup mean_setup(std::span<const RunRecord> runs) {
  return {.before_ns = mean_of_setups(runs, &Setup::before_ns), .after_ns = mean_of_setups(runs, &Setup::after_ns)};
}

}  // namespace

Difference difference_of(std::span<const RunRecord> base, std::span<const RunRecord> changed) {
  const Comparable by = comparable(base, changed);
  Leaves leaves = leaves_of(base, changed, by);
  const ShapeChanges shapes = shape_changes(base, changed);
  Difference found;
  found.per_step = leaves.per_step;
  found.part = leaves.per_step ? PartOfRun::steps : common_part(base, changed);
  found.comparable = by;
  found.base_runs = base.size();
  found.changed_runs = changed.size();
  found.base_ns = leaves.base_ns;
  found.changed_ns = leaves.changed_ns;
  found.base_wall_ns = mean_wall_ns(base);
  found.changed_wall_ns = mean_wall_ns(changed);
  found.base_setup = mean_setup(base);
  found.changed_setup = mean_setup(changed);
  found.gpus = leaves.gpus;
  add_levels(leaves, shapes, found);
  if (by.causes()) found.causes = find_causes(leaves, shapes);
  return found;
}

}  // namespace sonde::gate
