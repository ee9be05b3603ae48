#pragma once

#include <string>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "findings/facts.h"

namespace sonde {

/// The ranges around API calls, by name with numbers as '#'. Finds the range with most of the calls' weight. Python's
/// call stacks are left out. Reads ranges and range_links.
class Places {
 public:
  explicit Places(const Facts& facts);

  /// A call, and what it weighs.
  void add(Row call, int64_t weight);

  struct Place {
    std::string name;   ///< empty where no range holds most of it
    int64_t calls = 0;  ///< how many of its ranges are judged
  };
  /// The innermost name whose ranges hold three quarters of the weight.
  [[nodiscard]] Place most() const;
  /// The same in words: "In encoder.layer.#", "In several ranges", "Outside any range".
  [[nodiscard]] std::string most_in_words() const;

 private:
  using Id = uint32_t;
  /// Ranges around a call, from the outermost: the others, and one more.
  struct Path {
    Id others;  ///< kNone for none
    Id label;
  };
  /// What holds calls: a path in one domain of ranges, and those in others.
  struct Holder {
    Id others;  ///< kNone for none
    Id path;
    int64_t weight = 0;  ///< of calls that nothing else holds
  };
  [[nodiscard]] Id label_of(NameId name);
  [[nodiscard]] Id path_of(Row range);
  [[nodiscard]] std::vector<std::pair<Id, int64_t>> depths_of(Id holder) const;

  const Facts& facts_;
  std::vector<std::string> labels_;
  boost::unordered_flat_map<std::string, Id> label_ids_;
  std::vector<Id> label_of_name_;
  std::vector<Path> paths_;
  boost::unordered_flat_map<std::pair<Id, Id>, Id> path_ids_;
  std::vector<Id> path_of_range_;
  std::vector<Holder> holders_;
  boost::unordered_flat_map<std::pair<Id, Id>, Id> holder_ids_;
  int64_t whole_ = 0;
};

}  // namespace sonde
