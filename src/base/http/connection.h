#pragma once

#include <sys/socket.h>

#include <cerrno>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/http/beast.h"

namespace sonde::http {

/// A connection to a server or proxy, and what was read ahead of it.
struct Connection {
  explicit Connection(asio::io_context& context, std::string to) : route(std::move(to)), socket(context) {}

  /// Without waiting. A server that closed it, or sent something unasked, does not answer on it. Under TLS the end
  /// comes as a record.
  [[nodiscard]] bool is_open() {
    char byte = 0;
    return recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }
  void close() {
    error_code ignored;
    socket.close(ignored);
  }

  std::string route;  ///< scheme, host, port and proxy: requests with the same may use it
  Tcp::socket socket;
  std::optional<asio::ssl::stream<Tcp::socket&>> tls;
  beast::flat_buffer buffer;
  Clock::time_point idle_since;
};

/// Connections that wait for a later request.
class IdleConnections {
 public:
  void keep(std::shared_ptr<Connection> connection) {
    connection->idle_since = Clock::now();
    connections_.push_front(std::move(connection));
    if (connections_.size() > kMax) connections_.pop_back();
  }

  /// The one used last; null where there is none.
  [[nodiscard]] std::shared_ptr<Connection> take(const std::string& route) {
    connections_.remove_if([](const auto& it) { return Clock::now() - it->idle_since > kMaxAge || !it->is_open(); });
    for (auto at = connections_.begin(); at != connections_.end(); ++at) {
      if ((*at)->route != route) continue;
      auto connection = std::move(*at);
      connections_.erase(at);
      return connection;
    }
    return nullptr;
  }

 private:
  static constexpr size_t kMax = 64;
  static constexpr auto kMaxAge = std::chrono::seconds(118);  // as curl: many servers close them after two minutes

  std::list<std::shared_ptr<Connection>> connections_;
};

}  // namespace sonde::http
