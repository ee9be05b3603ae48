#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "api/message.h"
#include "base/error.h"
#include "base/log.h"
#include "config/config.h"
#include "monitor/event_log.h"

namespace sonde::server {

/// Counts since the start, for the metrics and for tests.
struct ServerCounts {
  int64_t connections = 0;  ///< open now
  int64_t accepted = 0;
  int64_t refused_connections = 0;  ///< beyond max_connections
  int64_t requests = 0;
  int64_t timed_out = 0;
};

/// After so long without an event a stream gets a comment, and after so long its request is answered anew: its key may
/// have been revoked.
inline constexpr std::chrono::milliseconds kStreamPace{15000};

/// HTTP/1.1 with or without TLS, on one thread; answers are made on four others. Limits of config::Server hold for each
/// connection; requests that break them end in 400, 408, 413, 414, 431 or 503 as problem+json. The page is served at
/// "/" and "/assets/...", everything else goes to `answer`, which is called on several threads at once. A response with
/// `events` goes on as server-sent events, at kStreamPace; where some were missed the first is `reset`. Where
/// max_connections are open, those that have waited longest for a request make room; when all are busy, new ones get
/// 503, but for the calls of health.
class Server {
 public:
  using Answer = std::function<api::Response(const api::Request&)>;
  /// Listens from now on. Refuses an address beside loopback without TLS, unless allow_plain_http is set.
  [[nodiscard]] static Result<std::unique_ptr<Server>> start(const config::Server& options, Answer answer,
                                                             monitor::EventLog& events, Log& log,
                                                             std::chrono::milliseconds stream_pace = kStreamPace);
  virtual ~Server() = default;
  [[nodiscard]] virtual std::string address() const = 0;  ///< "127.0.0.1:8470"
  /// Certificate and key are read again for new connections, so that they can be renewed.
  [[nodiscard]] virtual Status reload_certificate() = 0;
  [[nodiscard]] virtual ServerCounts counts() const = 0;
  /// Whether the server's thread responds within `timeout`.
  [[nodiscard]] virtual bool alive(std::chrono::milliseconds timeout) = 0;
  /// Accepts no more, ends event streams, waits for requests that run, `timeout` at most, and then without their
  /// clients for the calls of `answer` that run: none does when this returns.
  virtual void stop(std::chrono::milliseconds timeout) = 0;
};

}  // namespace sonde::server
