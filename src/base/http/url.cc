#include "base/http/url.h"

#include <algorithm>

#include "base/text/decimal.h"

namespace sonde::http {
namespace {

constexpr int kMaxPort = 65535;

/// A space or a control character would change what the request means.
bool is_clean(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7f; });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// %41 becomes A; what is not a percent code stays.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_code =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    decoded += is_code ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (is_code) i += 2;
  }
  return decoded;
}

/// HOST[:PORT] or [ADDRESS][:PORT].
bool take_host(std::string_view text, Url& url) {
  const bool bracketed = text.starts_with('[');
  const size_t end = bracketed ? text.find(']') : text.find(':');
  if (bracketed && end == std::string_view::npos) return false;
  url.host = bracketed ? text.substr(1, end - 1) : text.substr(0, end);
  const std::string_view rest = end == std::string_view::npos ? "" : text.substr(bracketed ? end + 1 : end);
  if (!rest.empty() && rest[0] != ':') return false;
  url.port = rest.substr(rest.empty() ? 0 : 1);
  const auto port = integer_of<int>(url.port);
  return url.port.empty() || (port && *port > 0 && *port <= kMaxPort);
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  constexpr std::string_view kSeparator = "://";
  const size_t at = text.find(kSeparator);
  if (at == std::string_view::npos || !is_clean(text)) return fail("malformed URL");
  Url url{.scheme = std::string(text.substr(0, at))};
  std::ranges::transform(url.scheme, url.scheme.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view rest = text.substr(at + kSeparator.size());
  const size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, path);
  if (const size_t user = authority.rfind('@'); user != std::string_view::npos) {
    url.user = percent_decoded(authority.substr(0, user));
    authority.remove_prefix(user + 1);
  }
  if (!take_host(authority, url)) return fail("malformed URL");
  const std::string_view target = rest.substr(path, rest.find('#') - path);
  url.target = fmt::format("{}{}", target.starts_with('/') ? "" : "/", target);
  return url;
}

std::string authority_of(const std::string& host, const std::string& port) {
  const std::string name = host.contains(':') ? fmt::format("[{}]", host) : host;
  return port.empty() ? name : fmt::format("{}:{}", name, port);
}

bool is_loopback_host(std::string_view host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace sonde::http
