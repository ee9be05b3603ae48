#pragma once

#include <set>
#include <string>
#include <vector>

namespace sonde::gate {

/// A kernel of both sides, or of one: then the other name is empty.
struct KernelPair {
  std::string base;
  std::string changed;
  [[nodiscard]] bool renamed() const { return !base.empty() && !changed.empty() && base != changed; }
};

/// Pairs equal names first; then names that differ in template arguments, parameters or a number at the end
/// ("sum_6563", "sum_6724"), where each side has one kernel of that name; then the last kernel of each side, where each
/// has just one left. In the order of the changed side's names, the rest of the base last.
[[nodiscard]] std::vector<KernelPair> pair_kernels(const std::set<std::string>& base,
                                                   const std::set<std::string>& changed);

}  // namespace sonde::gate
