#pragma once

#include <map>
#include <string>
#include <vector>

#include "findings/facts.h"

namespace sonde {

/// The ranges around API calls, by name with numbers as '#'. Finds the range with most of the calls' weight. Python's
/// call stacks are left out. Reads ranges and range_links.
class Places {
 public:
  explicit Places(const Facts& facts) : facts_(facts) {}

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
  struct Weight {
    int64_t weight = 0;
    int64_t depth = 0;  ///< the most ranges around one of these
  };
  const std::string& label_of(NameId name);

  const Facts& facts_;
  std::map<NameId, std::string> labels_;
  std::map<std::string_view, Weight> weights_;
  int64_t whole_ = 0;
};

}  // namespace sonde
