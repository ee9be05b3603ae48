#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde::http {

struct Url {
  std::string scheme = {};  ///< in lower case
  std::string user = {};    ///< "name:password", decoded; empty: none
  std::string host = {};    ///< an IPv6 address without its brackets; may be empty
  std::string port = {};    ///< empty: none is named
  std::string target = {};  ///< path and query; begins with a slash
};

/// Parses SCHEME://[USER[:PASSWORD]@]HOST[:PORT][/PATH][?QUERY][#FRAGMENT]. The error does not contain the URL.
[[nodiscard]] Result<Url> parse_url(std::string_view text);

/// Host and port as a Host header and a CONNECT request name them: with the brackets of an IPv6 address.
[[nodiscard]] std::string authority_of(const std::string& host, const std::string& port);

/// localhost, 127.0.0.0/8 and ::1.
[[nodiscard]] bool is_loopback_host(std::string_view host);

}  // namespace sonde::http
