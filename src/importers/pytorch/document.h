#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sonde::pytorch {

/// A trace's text around its list of events: an object with "traceEvents", or the list alone.
class Document {
 public:
  explicit Document(std::string_view text) : text_(text) {}

  /// Where the list's first item (or its closing bracket) stands. The error ends a sentence that begins with the file.
  [[nodiscard]] Result<size_t> find_events();

  /// Reads the members behind the list, whose closing bracket is at `bracket`. False where the text breaks off.
  [[nodiscard]] bool read_rest(size_t bracket);

  /// The other members of the object: keys and raw values, as they stand.
  [[nodiscard]] const std::vector<std::pair<std::string_view, std::string_view>>& members() const { return members_; }
  /// The raw value of a member, empty where there is none.
  [[nodiscard]] std::string_view member(std::string_view key) const;

 private:
  enum class Step { member, events, end, broken };
  Step step();

  std::string_view text_;
  size_t at_ = 0;
  bool is_list_ = false;
  std::vector<std::pair<std::string_view, std::string_view>> members_;
};

/// True where a text begins like an object with keys or a list of objects.
[[nodiscard]] bool begins_like_a_trace(std::string_view head);

}  // namespace sonde::pytorch
