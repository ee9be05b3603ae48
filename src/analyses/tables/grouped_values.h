#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyses/tables/distribution.h"

namespace sonde {

/// Puts values side by side that have the same group: `values[starts[g], starts[g + 1])` are those of group g, in the
/// order they came in.
template <typename Value>
struct Buckets {
  std::vector<size_t> starts;
  std::vector<Value> values;

  [[nodiscard]] size_t size() const { return starts.size() - 1; }
  [[nodiscard]] std::span<Value> of(size_t group) {
    return std::span(values).subspan(starts[group], starts[group + 1] - starts[group]);
  }
};

/// A counting sort: O(values + groups). Each group is below `groups`.
template <typename Value>
[[nodiscard]] Buckets<Value> bucket(std::span<const uint32_t> group, std::span<const Value> value, size_t groups) {
  Buckets<Value> buckets{std::vector<size_t>(groups + 1, 0), std::vector<Value>(value.size())};
  for (const uint32_t g : group) ++buckets.starts[g + 1];
  for (size_t g = 0; g < groups; ++g) buckets.starts[g + 1] += buckets.starts[g];
  std::vector<size_t> next(buckets.starts.begin(), buckets.starts.end() - 1);
  for (size_t i = 0; i < value.size(); ++i) buckets.values[next[group[i]]++] = value[i];
  return buckets;
}

/// Values that come one by one, each with its group, and the figures of each group at the end.
class GroupedValues {
 public:
  void reserve(size_t values) {
    group_.reserve(values);
    value_.reserve(values);
  }
  void add(uint32_t group, int64_t value) {
    group_.push_back(group);
    value_.push_back(value);
  }
  /// Works on the groups in parallel.
  [[nodiscard]] std::vector<Distribution> distributions(size_t groups) const;

 private:
  std::vector<uint32_t> group_;
  std::vector<int64_t> value_;
};

}  // namespace sonde
