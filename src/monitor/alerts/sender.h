#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "monitor/alerts.h"
#include "monitor/alerts/delivery.h"

namespace sonde::monitor {

/// What AlertSender::start() sets for itself, for tests.
struct SenderOptions {
  DeliveryPace pace = {};
  std::chrono::milliseconds timeout = std::chrono::seconds(5);  ///< of a POST
  std::function<int64_t()> now_ns;                              ///< since 1970
};

[[nodiscard]] std::unique_ptr<AlertSender> start_sender(std::unique_ptr<HttpPoster> poster, Log& log,
                                                        std::string hostname, SenderOptions options);

/// "https://host:port" of a URL, which may hold a secret behind that or before it.
[[nodiscard]] std::string shown_receiver(const std::string& url);

}  // namespace sonde::monitor
