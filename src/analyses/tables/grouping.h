#pragma once

#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

namespace sonde {

/// Gives each distinct key a dense number, in the order of first use.
template <typename Key>
class Grouping {
 public:
  uint32_t group_of(const Key& key) {
    if (last_ < keys_.size() && keys_[last_] == key) return last_;
    const auto [found, added] = groups_.try_emplace(key, static_cast<uint32_t>(keys_.size()));
    if (added) keys_.push_back(key);
    last_ = found->second;
    return last_;
  }
  [[nodiscard]] size_t size() const { return keys_.size(); }
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }

 private:
  boost::unordered_flat_map<Key, uint32_t> groups_;
  std::vector<Key> keys_;
  uint32_t last_ = 0;  ///< events of one kind come in runs
};

}  // namespace sonde
