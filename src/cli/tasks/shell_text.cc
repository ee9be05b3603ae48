#include "cli/tasks/shell_text.h"

#include <algorithm>
#include <array>

#include "base/text/command_words.h"
#include "report/text/plain_text.h"

namespace sonde::tasks {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }

/// U+0080 to U+009F are C2 80 to C2 9F in UTF-8.
bool holds_second_control(std::string_view text) {
  for (size_t at = text.find('\xC2'); at != std::string_view::npos; at = text.find('\xC2', at + 1)) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) return true;
  }
  return false;
}

std::string escaped(char c) {
  switch (c) {
    case '\n': return "\\n";
    case '\t': return "\\t";
    case '\r': return "\\r";
    case '\\': return "\\\\";
    case '\'': return "\\'";
    default: break;
  }
  const bool plain = !is_control(c) && static_cast<unsigned char>(c) < 0x80;
  return plain ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

std::string word_text(const std::string& word) {
  if (std::ranges::none_of(word, is_control) && !holds_second_control(word)) {
    return one_line(command_line(std::array{word}));
  }
  std::string text = "$'";
  for (const char c : word) text += escaped(c);
  return text + "'";
}

}  // namespace

std::string shell_text(const Json& words) {
  std::string text;
  if (!words.is_array()) return text;
  for (const Json& word : words) {
    text += (text.empty() ? "" : " ") + word_text(word.is_string() ? word.get<std::string>() : word.dump());
  }
  return text;
}

}  // namespace sonde::tasks
