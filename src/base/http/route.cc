#include "base/http/route.h"

#include <strings.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/http/proxy.h"
#include "base/text/base64.h"

namespace sonde::http {
namespace {

constexpr std::string_view kUserAgent = "User-Agent: sonde\r\n";

std::string default_port(const std::string& scheme) { return scheme == "https" ? "443" : "80"; }

std::string basic(std::string_view header, const std::string& user) {
  if (user.empty()) return {};
  return fmt::format("{}: Basic {}\r\n", header, base64(user.contains(':') ? user : user + ":"));
}

/// The port of the scheme is left out, as in a Host header of curl and browsers.
std::string host_header(const Url& url) {
  return authority_of(url.host, url.port == default_port(url.scheme) ? "" : url.port);
}

bool has_header(const Request& request, std::string_view name) {
  return std::ranges::any_of(request.headers, [&](const std::string& header) {
    return header.size() > name.size() && header[name.size()] == ':' &&
           strncasecmp(header.data(), name.data(), name.size()) == 0;
  });
}

/// With the whole URL where a proxy passes it on.
std::string target_of(const Route& route) {
  const bool is_for_proxy = route.proxy && !route.has_tls();
  return is_for_proxy ? fmt::format("http://{}{}", host_header(route.url), route.url.target) : route.url.target;
}

}  // namespace

std::string Route::name() const {
  std::string server = fmt::format("{}://{}", url.scheme, authority_of(url.host, url.port));
  if (!proxy) return server;
  const std::string via = fmt::format("{}@{}", proxy->user, authority_of(proxy->host, proxy->port));
  return has_tls() ? fmt::format("{} by {}", server, via) : via;
}

std::expected<Route, Failure> route_of(const Request& request) {
  auto url = parse_url(request.url);
  if (!url) return std::unexpected(Failure{.what = url.error().message});
  if (url->scheme != "http" && url->scheme != "https")
    return std::unexpected(Failure{.what = "unsupported URL scheme"});
  if (url->host.empty()) return std::unexpected(Failure{.what = "malformed URL"});
  if (url->port.empty()) url->port = default_port(url->scheme);
  Route route{.url = std::move(*url), .proxy = {}};
  if (request.ignore_proxies) return route;
  auto proxy = proxy_of(route.url);
  if (!proxy) return std::unexpected(Failure{Failure::Kind::unreachable, proxy.error().message});
  route.proxy = std::move(*proxy);
  return route;
}

std::string request_head(const Request& request, const Route& route) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}", request.method, target_of(route),
                                 host_header(route.url), kUserAgent);
  if (route.proxy && !route.has_tls()) head += basic("Proxy-Authorization", route.proxy->user);
  if (!has_header(request, "Authorization")) head += basic("Authorization", route.url.user);
  if (!has_header(request, "Accept")) head += "Accept: */*\r\n";
  for (const std::string& header : request.headers) head += header + "\r\n";
  if (request.body) head += fmt::format("Content-Length: {}\r\n", request.body->size());
  return head + "\r\n";
}

std::string tunnel_head(const Route& route) {
  const std::string server = authority_of(route.url.host, route.url.port);
  return fmt::format("CONNECT {} HTTP/1.1\r\nHost: {}\r\n{}{}\r\n", server, server,
                     basic("Proxy-Authorization", route.proxy->user), kUserAgent);
}

}  // namespace sonde::http
