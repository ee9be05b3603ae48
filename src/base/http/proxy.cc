#include "base/http/proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/text/decimal.h"

namespace sonde::http {
namespace {

constexpr const char* kDefaultPort = "1080";  // curl's, for a proxy without one

/// The first that is set; one that is set to nothing counts.
std::optional<std::string> first_set(std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    if (value != nullptr) return value;
  }
  return {};
}

/// HTTP_PROXY in capitals is not read: in a CGI program it is a header of the request.
std::string named_proxy(const std::string& scheme) {
  const auto own = scheme == "https" ? first_set({"https_proxy", "HTTPS_PROXY"}) : first_set({"http_proxy"});
  return own ? *own : first_set({"all_proxy", "ALL_PROXY"}).value_or("");
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

/// 4 or 16 bytes; none where it is a name.
std::vector<unsigned char> address_bytes(std::string_view text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes = {};
  const std::string address(text);
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return {bytes.begin(), bytes.begin() + sizeof(in_addr)};
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1) return {bytes.begin(), bytes.end()};
  return {};
}

/// `range`: an address, or ADDRESS/BITS.
bool is_in_range(const std::vector<unsigned char>& address, std::string_view range) {
  const size_t slash = range.find('/');
  const auto start = address_bytes(range.substr(0, slash));
  const auto all = address.size() * 8;
  const auto bits =
      slash == std::string_view::npos ? all : integer_of<size_t>(range.substr(slash + 1)).value_or(all + 1);
  if (start.size() != address.size() || bits > all) return false;
  for (size_t bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((start[bit / 8] & mask) != (address[bit / 8] & mask)) return false;
  }
  return true;
}

bool is_at_or_below(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

std::string_view without_dots(std::string_view name) {
  if (name.starts_with('.')) name.remove_prefix(1);
  if (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

}  // namespace

bool is_in_no_proxy(std::string_view list, std::string_view host) {
  if (list == "*") return true;
  const auto address = address_bytes(host);
  const std::string name = lowered(without_dots(host));
  while (!list.empty()) {
    const size_t end = std::min(list.find_first_of(", \t"), list.size());
    const std::string entry = lowered(without_dots(list.substr(0, end)));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (entry.empty()) continue;
    if (address.empty() ? is_at_or_below(name, entry) : is_in_range(address, entry)) return true;
  }
  return false;
}

Result<std::optional<Url>> proxy_of(const Url& url) {
  const std::string named = named_proxy(url.scheme);
  if (named.empty() || is_in_no_proxy(first_set({"no_proxy", "NO_PROXY"}).value_or(""), url.host)) return std::nullopt;
  auto proxy = parse_url(named.contains("://") ? named : "http://" + named);
  if (!proxy || proxy->host.empty()) return fail("the environment names a proxy with a malformed URL");
  if (proxy->scheme != "http") {
    return fail("the environment names a proxy with the scheme {}; only http is supported", proxy->scheme);
  }
  if (proxy->port.empty()) proxy->port = kDefaultPort;
  return std::move(*proxy);
}

}  // namespace sonde::http
