#include "report/text/plain_text.h"

namespace sonde {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

/// U+0080 to U+009F, of which terminals take some for the beginning of a command.
bool is_second_control(std::string_view rest) {
  return rest.size() > 1 && rest[0] == '\xC2' && static_cast<unsigned char>(rest[1]) < 0xA0;
}

/// U+FFFE and U+FFFF, which are no characters.
bool is_no_character(std::string_view rest) {
  return rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF");
}

std::string xml_character(char c) {
  switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\n':
    case '\t': return std::string(1, c);
    case '\r': return "&#13;";
    default: return is_control(c) && c != 0x7f ? std::string(kReplacement) : std::string(1, c);
  }
}

}  // namespace

std::string one_line(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string line;
  for (size_t i = 0; i < valid.size(); ++i) {
    const bool second = is_second_control(std::string_view(valid).substr(i));
    line += second || is_control(valid[i]) ? ' ' : valid[i];
    if (second) ++i;
  }
  return line;
}

std::string xml_text(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string safe;
  for (size_t i = 0; i < valid.size(); ++i) {
    if (is_no_character(std::string_view(valid).substr(i))) {
      safe += kReplacement;
      i += 2;
    } else {
      safe += xml_character(valid[i]);
    }
  }
  return safe;
}

}  // namespace sonde
