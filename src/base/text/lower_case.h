#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// ASCII's capital letters made small, whatever the locale. Other bytes stay.
[[nodiscard]] inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

}  // namespace sonde
