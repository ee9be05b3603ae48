#include "report/markdown/markdown_text.h"

#include <nlohmann/json.hpp>

#include "base/text/text_width.h"

namespace sonde {
namespace {

/// Bytes that are no UTF-8 are replaced, control characters become blanks.
std::string clean(std::string_view text) {
  using Json = nlohmann::json;
  auto cleaned = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  for (char& c : cleaned) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  }
  return cleaned;
}

/// What stands for a character in running text.
std::string escaped(char c) {
  constexpr std::string_view kFormats = "\\`*_[]|~";
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    // A blank without width: "@name" calls for a person, "#12" links an issue.
    case '@': return "@&#8203;";
    case '#': return "#&#8203;";
    default: return kFormats.contains(c) ? std::string{'\\', c} : std::string{c};
  }
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char c : clean(text)) safe += escaped(c);
  return safe;
}

std::string markdown_code(std::string_view name, size_t width) {
  std::string code = "`";
  for (const char c : cut_middle(clean(name), width)) {
    if (c == '|') code += '\\';
    code += c == '`' ? '\'' : c;
  }
  return code.size() == 1 ? "(no name)" : code + '`';
}

}  // namespace sonde
