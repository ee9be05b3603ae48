#pragma once

#include <expected>
#include <optional>
#include <string>

#include "base/http/message.h"
#include "base/http/url.h"

namespace sonde::http {

/// Where a request goes, and by which way.
struct Route {
  Url url;  ///< its port is set
  std::optional<Url> proxy;

  [[nodiscard]] bool has_tls() const { return url.scheme == "https"; }
  /// Where the connection leads to: the proxy, else the server.
  [[nodiscard]] const Url& next_hop() const { return proxy ? *proxy : url; }
  /// Requests with the same name may use the same connection.
  [[nodiscard]] std::string name() const;
};

[[nodiscard]] std::expected<Route, Failure> route_of(const Request& request);

/// The head of the request, with the empty line that ends it.
[[nodiscard]] std::string request_head(const Request& request, const Route& route);

/// Asks the proxy for a connection to the server.
[[nodiscard]] std::string tunnel_head(const Route& route);

}  // namespace sonde::http
