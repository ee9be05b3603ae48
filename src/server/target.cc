#include "server/target.h"

#include <algorithm>

#include "config/utf8.h"

namespace sonde::server {
namespace {

int hex_digit(char c) {
  constexpr int kTen = 10;
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + kTen;
  if (c >= 'A' && c <= 'F') return c - 'A' + kTen;
  return -1;
}

bool is_control(char c) {
  constexpr char kDelete = 0x7f;
  return (c >= 0 && c < ' ') || c == kDelete;
}

/// Without its percent signs; nothing where one of them, or what comes out, is wrong.
std::optional<std::string> decoded(std::string_view text, bool plus_is_blank) {
  constexpr size_t kEncoded = 3;  // "%2f"
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += plus_is_blank && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + kEncoded > text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    result += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (std::ranges::any_of(result, is_control) || config::first_bad_text(result)) return std::nullopt;
  return result;
}

bool is_dots(std::string_view segment) { return segment == "." || segment == ".."; }

std::optional<std::string> parse_path(std::string_view text) {
  std::string path = "/";
  text.remove_prefix(1);
  for (;;) {
    const size_t slash = text.find('/');
    const auto segment = decoded(text.substr(0, slash), false);
    if (!segment || is_dots(*segment) || segment->find_first_of("/\\") != std::string::npos) return std::nullopt;
    path += *segment;
    if (slash == std::string_view::npos) return path;
    path += '/';
    text.remove_prefix(slash + 1);
  }
}

bool parse_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const size_t equals = std::min(part.find('='), part.size());
    auto name = decoded(part.substr(0, equals), true);
    auto value = decoded(part.substr(std::min(equals + 1, part.size())), true);
    if (!name || !value) return false;
    target.query.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

/// "/path" of "http://host/path", which a server has to take too (RFC 9112, section 3.2.2).
std::string_view without_host(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const size_t end = target.find_first_of("/?");
    if (end == std::string_view::npos || target[end] == '?') return "/";
    return target.substr(end);
  }
  return target;
}

}  // namespace

std::optional<Target> parse_target(std::string_view target) {
  if (target == "*") return Target{.path = "*", .query = {}};
  target = without_host(target);
  if (!target.starts_with('/') || target.find('#') != std::string_view::npos) return std::nullopt;
  const size_t mark = std::min(target.find('?'), target.size());
  auto path = parse_path(target.substr(0, mark));
  if (!path) return std::nullopt;
  Target result{.path = std::move(*path), .query = {}};
  if (!parse_query(target.substr(std::min(mark + 1, target.size())), result)) return std::nullopt;
  return result;
}

}  // namespace sonde::server
