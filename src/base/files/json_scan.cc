#include "base/files/json_scan.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace sonde {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

enum class Mark : uint8_t { none, quote, open, close };

constexpr auto kMarks = [] {
  std::array<Mark, 256> marks{};
  marks['"'] = Mark::quote;
  marks['{'] = marks['['] = Mark::open;
  marks['}'] = marks[']'] = Mark::close;
  return marks;
}();

Mark mark_of(char c) { return kMarks[static_cast<uint8_t>(c)]; }

size_t container_end(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    switch (mark_of(text[at])) {
      case Mark::none: ++at; break;
      case Mark::open: ++depth, ++at; break;
      case Mark::close:
        ++at;
        if (--depth == 0) return at;
        break;
      case Mark::quote:
        at = string_end(text, at);
        if (at == kNowhere) return kNowhere;
        break;
    }
  }
  return kNowhere;
}

size_t scalar_end(std::string_view text, size_t at) {
  while (at < text.size() && !is_space(text[at]) && text[at] != ',' && mark_of(text[at]) == Mark::none) ++at;
  return at < text.size() ? at : kNowhere;
}

std::optional<uint32_t> four_hex(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9') {
      value = value * 16 + static_cast<uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      value = value * 16 + static_cast<uint32_t>(lower - 'a' + 10);
    } else {
      return std::nullopt;
    }
  }
  return value;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6)), put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12)), put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18)), put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F)), put(0x80 | (code & 0x3F));
  }
}

constexpr uint32_t kReplacement = 0xFFFD;

/// Takes the \uXXXX at the start of `raw` (two of them for a surrogate pair); false where it is none.
bool take_unicode(std::string_view& raw, std::string& out) {
  const auto first = four_hex(raw.substr(2));
  if (!first) return false;
  raw.remove_prefix(6);
  if (*first < 0xD800 || *first > 0xDFFF) {
    append_utf8(out, *first);
    return true;
  }
  const auto second = raw.starts_with("\\u") ? four_hex(raw.substr(2)) : std::nullopt;
  const bool pair = *first < 0xDC00 && second && *second >= 0xDC00 && *second <= 0xDFFF;
  if (pair) raw.remove_prefix(6);
  append_utf8(out, pair ? 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00) : kReplacement);
  return true;
}

char simple_escape(char c) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeaning = "\"\\/\b\f\n\r\t";
  const size_t at = kLetters.find(c);
  return at == kNowhere ? '\0' : kMeaning[at];
}

void take_escape(std::string_view& raw, std::string& out) {
  if (raw.size() > 1 && raw[1] == 'u' && take_unicode(raw, out)) return;
  const char meaning = raw.size() > 1 ? simple_escape(raw[1]) : '\0';
  out += meaning == '\0' ? '\\' : meaning;
  raw.remove_prefix(meaning == '\0' ? 1 : 2);
}

}  // namespace

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

size_t string_end(std::string_view text, size_t at) {
  const size_t first = at + 1;
  for (at = text.find('"', first); at != kNowhere; at = text.find('"', at + 1)) {
    size_t slash = at;
    while (slash > first && text[slash - 1] == '\\') --slash;
    if ((at - slash) % 2 == 0) return at + 1;
  }
  return kNowhere;
}

size_t value_end(std::string_view text, size_t at) {
  if (at >= text.size()) return kNowhere;
  switch (mark_of(text[at])) {
    case Mark::quote: return string_end(text, at);
    case Mark::open: return container_end(text, at);
    case Mark::close: return kNowhere;
    case Mark::none: return scalar_end(text, at);
  }
  return kNowhere;
}

std::string unescape_json(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const size_t plain = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    if (!raw.empty()) take_escape(raw, out);
  }
  return out;
}

std::string one_line_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t at = 0; at < json.size();) {
    if (json[at] == '"') {
      const size_t end = std::min(string_end(json, at), json.size());
      out += json.substr(at, end - at);
      at = end;
      continue;
    }
    if (!is_space(json[at])) out += json[at];
    if (json[at] == ',' || json[at] == ':') out += ' ';
    ++at;
  }
  return out;
}

std::string_view without_quotes(std::string_view token) {
  while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
  while (!token.empty() && is_space(token.front())) token.remove_prefix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') return token.substr(1, token.size() - 2);
  return token;
}

}  // namespace sonde
