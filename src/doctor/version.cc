#include "doctor/version.h"

#include <charconv>

namespace sonde::doctor {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Version first_version(std::string_view text) {
  Version version;
  size_t at = 0;
  while (at < text.size() && !is_digit(text[at])) ++at;
  const size_t from = at;
  while (at < text.size() && is_digit(text[at])) {
    int part = 0;
    const auto read = std::from_chars(text.data() + at, text.data() + text.size(), part);
    if (read.ec != std::errc()) break;
    version.parts.push_back(part);
    at = static_cast<size_t>(read.ptr - text.data());
    if (at + 1 >= text.size() || text[at] != '.' || !is_digit(text[at + 1])) break;
    ++at;
  }
  version.text = text.substr(from, version.known() ? at - from : 0);
  return version;
}

Version min_driver(int cuda_major) {
  switch (cuda_major) {
    case 11: return first_version("450.80.02");
    case 12: return first_version("525.60.13");
    case 13: return first_version("580");
    default: return {};
  }
}

}  // namespace sonde::doctor
