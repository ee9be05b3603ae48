#include "cli/ci/shared_quoting.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <simdjson.h>

namespace sonde {
namespace {

/// What YAML 1.1 takes for a line break or does not let into a document, above ASCII.
constexpr std::string_view kBeyond[] = {"\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF"};

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string made;
  size_t at = 0;
  for (size_t found = text.find(what); found != std::string_view::npos; found = text.find(what, at)) {
    made.append(text.substr(at, found - at)).append(by);
    at = found + what.size();
  }
  return made.append(text.substr(at));
}

/// In quotes, with the escapes that YAML and Groovy share.
std::string escaped(std::string_view text, char quote) {
  std::string made(1, quote);
  for (const char c : text) {
    switch (c) {
      case '\n': made += "\\n"; break;
      case '\t': made += "\\t"; break;
      case '\\': made += "\\\\"; break;
      default: made += c == quote ? fmt::format("\\{}", c) : std::string(1, c);
    }
  }
  return made + quote;
}

/// Several words, or one with a dot, so that it is no number, truth value or other word of YAML's own.
bool is_plain(std::string_view text) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=+ ";
  return text.find_first_not_of(kSafe) == std::string_view::npos &&
         text.find_first_of(". ") != std::string_view::npos &&
         std::isalpha(static_cast<unsigned char>(text.front())) != 0 && text.back() != ' ';
}

bool is_control(std::string_view text, size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\n' || c == '\t') return false;
  if (c < 0x20 || c == 0x7f) return true;
  return c == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;  // U+0080 to U+009F
}

}  // namespace

bool can_be_quoted(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_control(text, i)) return false;
  }
  return simdjson::validate_utf8(text.data(), text.size()) &&
         std::ranges::none_of(kBeyond, [&](std::string_view s) { return text.find(s) != std::string_view::npos; });
}

std::string yaml_value(std::string_view text) {
  if (!text.empty() && is_plain(text)) return std::string(text);
  if (text.find_first_of("\n\t") != std::string_view::npos) return escaped(text, '"');
  return fmt::format("'{}'", replaced(text, "'", "''"));
}

std::string workflow_value(std::string_view text) { return yaml_value(replaced(text, "${{", "${{ '${{' }}")); }

std::string groovy_value(std::string_view text) { return escaped(text, '\''); }

std::string shell_word(std::string_view text) {
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-=+,:@%";
  if (!text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos) return std::string(text);
  return fmt::format("'{}'", replaced(text, "'", "'\\''"));
}

}  // namespace sonde
