#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "config/config.h"
#include "monitor/incident.h"

namespace sonde::monitor {

/// Sends a body by HTTP POST. Thread-safe. Tests have one that keeps what it is given.
class HttpPoster {
 public:
  virtual ~HttpPoster() = default;
  /// The status of the answer. Blocks, `timeout` at most.
  [[nodiscard]] virtual Result<int> post(const std::string& url, std::string_view content_type, const std::string& body,
                                         std::chrono::milliseconds timeout) = 0;
  /// Ends posts that wait for an answer; those that come later fail.
  virtual void stop() {}
};
/// By http::Client: http and https, certificates verified, redirects not followed.
[[nodiscard]] std::unique_ptr<HttpPoster> http_poster();

/// Counts since the start, for the metrics.
struct AlertCounts {
  int64_t sent = 0;
  int64_t failed = 0;
  int64_t waiting = 0;
};

/// Tells Alertmanagers (API v2) and webhooks of incidents, from a thread of its own, so that a receiver that hangs
/// delays nobody. What cannot be sent is tried again with growing pauses; a state that a later one replaced is not
/// sent.
class AlertSender {
 public:
  [[nodiscard]] static std::unique_ptr<AlertSender> start(std::unique_ptr<HttpPoster> poster, Log& log,
                                                          std::string hostname);
  virtual ~AlertSender() = default;
  /// The state of things now; cheap, does not block. Incidents of lower severity than configured are left out.
  virtual void notify(const std::vector<IncidentNews>& news, const std::vector<Incident>& open,
                      const config::Alerts& alerts) = 0;
  [[nodiscard]] virtual AlertCounts counts() const = 0;
  /// Waits until all is sent or the time is over.
  virtual void drain(std::chrono::milliseconds timeout) = 0;
};

}  // namespace sonde::monitor
