#pragma once

#include "analyses/tables/grouped_values.h"
#include "analyses/tables/grouping.h"

namespace sonde {

/// Values by key, and the figures of each key's values.
template <typename Key>
class Groups {
 public:
  void add(const Key& key, int64_t value) { values_.add(grouping_.group_of(key), value); }
  void reserve(size_t values) { values_.reserve(values); }
  [[nodiscard]] const std::vector<Key>& keys() const { return grouping_.keys(); }
  /// One for each key, in the order of keys().
  [[nodiscard]] std::vector<Distribution> distributions() const { return values_.distributions(grouping_.size()); }

 private:
  Grouping<Key> grouping_;
  GroupedValues values_;
};

}  // namespace sonde
