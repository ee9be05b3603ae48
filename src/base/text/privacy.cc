#include "base/text/privacy.h"

#include "base/files/file.h"

namespace sonde {
namespace {

bool ends_path(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '"' || c == '\'' || c == ',' || c == ')'; }
bool may_precede_path(char c) { return ends_path(c) || c == '(' || c == '=' || c == ':'; }

}  // namespace

std::string without_paths(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '/' || (at > 0 && !may_precede_path(text[at - 1]))) {
      shown += text[at++];
      continue;
    }
    size_t end = at;
    while (end < text.size() && !ends_path(text[end])) ++end;
    shown += short_path(text.substr(at, end - at));
    at = end;
  }
  return shown;
}

}  // namespace sonde
