#include "analyses/calls/api_label.h"

#include <algorithm>

namespace sonde {

std::string_view api_label(std::string_view name) {
  constexpr size_t kSuffix = 6;  // _v and four digits
  if (name.size() <= kSuffix) return name;
  const std::string_view suffix = name.substr(name.size() - kSuffix);
  const bool is_version =
      suffix.starts_with("_v") && std::ranges::all_of(suffix.substr(2), [](char c) { return c >= '0' && c <= '9'; });
  return is_version ? name.substr(0, name.size() - kSuffix) : name;
}

}  // namespace sonde
