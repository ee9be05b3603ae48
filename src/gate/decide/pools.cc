#include "gate/decide/pools.h"

#include <algorithm>

#include "gate/decide/cases.h"

namespace sonde::gate {
namespace {

double time_of(const Times& times, const std::string& name) {
  const auto found = times.find(name);
  return found == times.end() ? 0 : found->second;
}

double sum_of(const Times& times, const Names& names) {
  double sum = 0;
  for (const std::string& name : names) sum += time_of(times, name);
  return sum;
}

void move_into(Names& from, Names& to) {
  to.merge(from);
  from.clear();
}

}  // namespace

Pools pools_of(const Times& base, const Times& changed, double whole) {
  Pools pools;
  const double small = kSmallShare * whole;
  for (const auto& [name, time] : base) {
    const double now = time_of(changed, name);
    if (!changed.contains(name)) {
      pools.base_only.insert(name);
    } else {
      (std::max(time, now) < small ? pools.small : pools.single).insert(name);
    }
  }
  for (const auto& [name, time] : changed) {
    if (!base.contains(name)) pools.changed_only.insert(name);
  }
  const bool both_sides = !pools.small.empty();
  if (both_sides && std::max(sum_of(base, pools.base_only), sum_of(changed, pools.changed_only)) < small) {
    move_into(pools.base_only, pools.small);
    move_into(pools.changed_only, pools.small);
  }
  if (pools.small.size() == 1) move_into(pools.small, pools.single);
  return pools;
}

}  // namespace sonde::gate
