#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace sonde::gate {

/// A text of words_en.inc, with {named} arguments as fmt writes them. Empty for an id that it does not have.
[[nodiscard]] std::string_view word_text(std::string_view id);

/// The same with its arguments: fmt::arg() each.
template <typename... Args>
[[nodiscard]] std::string worded(std::string_view id, const Args&... args) {
  return fmt::vformat(word_text(id), fmt::make_format_args(args...));
}

}  // namespace sonde::gate
