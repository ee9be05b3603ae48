#include "cli/serve/log_text.h"

#include <fmt/format.h>

namespace sonde::serve {
namespace {

std::string escaped(std::string_view text, bool quoted) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if ((c >= 0 && c < ' ') || c == 0x7f) {
      result += fmt::format("\\x{:02x}", c);
    } else if (quoted && (c == '"' || c == '\\')) {
      result += {'\\', c};
    } else {
      result += c;
    }
  }
  return result;
}

std::string field_value(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \"=\\") == std::string::npos) return escaped(value, false);
  return fmt::format("\"{}\"", escaped(value, true));
}

}  // namespace

std::string log_line(std::string_view message, std::span<const LogField> fields) {
  std::string line = escaped(message, false);
  for (const LogField& field : fields) line += fmt::format(" {}={}", field.name, field_value(field.value));
  return line;
}

}  // namespace sonde::serve
