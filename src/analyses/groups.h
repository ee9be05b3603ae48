#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "analyses/distribution.h"
#include "base/parallel.h"

namespace sonde {

/// Values sorted into groups by a key; then one Distribution a group. Keys are numbered in the order of first use.
template <typename Key>
class Groups {
 public:
  void reserve(size_t values) {
    group_.reserve(values);
    values_.reserve(values);
  }
  void add(const Key& key, int64_t value) {
    if (keys_.empty() || !(keys_[last_] == key)) {
      const auto [found, added] = ids_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
      if (added) keys_.push_back(key);
      last_ = found->second;
    }
    group_.push_back(last_);
    values_.push_back(value);
  }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  /// One for each key, in the order of keys(). Groups are worked on in parallel.
  [[nodiscard]] std::vector<Distribution> distributions() const {
    const std::vector<size_t> first = group_starts();
    std::vector<int64_t> sorted(values_.size());
    std::vector<size_t> next = first;
    for (size_t i = 0; i < values_.size(); ++i) sorted[next[group_[i]]++] = values_[i];
    std::vector<Distribution> found(keys_.size());
    parallel_for(keys_.size(), [&](size_t g) {
      found[g] = distribution_of(std::span(sorted).subspan(first[g], first[g + 1] - first[g]));
    });
    return found;
  }

 private:
  [[nodiscard]] std::vector<size_t> group_starts() const {
    std::vector<size_t> first(keys_.size() + 1, 0);
    for (const uint32_t g : group_) ++first[g + 1];
    for (size_t g = 1; g < first.size(); ++g) first[g] += first[g - 1];
    return first;
  }
  boost::unordered_flat_map<Key, uint32_t> ids_;
  std::vector<Key> keys_;
  std::vector<uint32_t> group_;
  std::vector<int64_t> values_;
  uint32_t last_ = 0;
};

}  // namespace sonde
