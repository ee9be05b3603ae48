#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::http {

struct Request {
  std::string method = "GET";
  std::string url;                        ///< http or https; a user and password in it become a Basic authorization
  std::vector<std::string> headers = {};  ///< "Name: value"
  std::optional<std::string> body = {};
  std::optional<std::chrono::milliseconds> connect_timeout = {};  ///< of name, connection, proxy and TLS together
  std::optional<std::chrono::milliseconds> timeout = {};          ///< of the whole exchange
  uint64_t max_body_bytes = UINT64_MAX;                           ///< a longer response fails
  bool ignore_proxies = false;                                    ///< those that the environment names
  /// A POST may be sent a second time, when a kept connection breaks before any part of a response.
  bool is_repeatable = false;
  /// Gets the body of the response in parts as they arrive; Response::body stays empty.
  std::function<void(std::string_view)> take_body = {};
};

struct Response {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case; the last of several
  std::string body;
};

/// Why there is no response.
struct Failure {
  enum class Kind {
    unreachable,  ///< the name has no address, or no connection was made
    untrusted,    ///< the certificate, or the file of authorities
    timed_out,
    cancelled,
    broken,  ///< anything else, as a connection that was closed early
  };
  Kind kind = Kind::broken;
  std::string what;  ///< without the URL, which may hold a secret
};

using Outcome = std::expected<Response, Failure>;

}  // namespace sonde::http
