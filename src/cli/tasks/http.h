#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sonde::tasks {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::string> headers = {};  ///< "Name: value"
  std::optional<std::string> body = {};
  std::chrono::milliseconds patience = std::chrono::seconds(30);  ///< for the whole answer
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

struct HttpFailure {
  enum class Kind { unreachable, untrusted, timed_out, interrupted, broken };
  Kind kind = Kind::broken;
  std::string what;  ///< in words of the system or of libcurl
};

/// http and https by libcurl; connections are kept. Redirects are not followed, since the key is for the named service
/// only. One thread.
class HttpClient {
 public:
  /// `authorities`: file of certificates (PEM) that https servers are checked by; empty: those of the system.
  explicit HttpClient(std::string authorities);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// Ends early where interrupt.h notes a signal.
  [[nodiscard]] std::expected<HttpResponse, HttpFailure> exchange(const HttpRequest& request);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
  std::string authorities_;
};

}  // namespace sonde::tasks
