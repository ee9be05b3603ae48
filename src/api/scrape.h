#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "config/config.h"
#include "monitor/monitor.h"

namespace sonde::api {

/// The text of the metrics, made once for each snapshot: several Prometheus servers scrape the same. Thread-safe.
class ScrapeCache {
 public:
  using Make = std::function<std::string()>;
  [[nodiscard]] std::string text(const std::shared_ptr<const monitor::HostSnapshot>& host,
                                 const std::shared_ptr<const config::Config>& config, const Make& make);

 private:
  std::mutex mutex_;
  std::shared_ptr<const monitor::HostSnapshot> host_;
  std::shared_ptr<const config::Config> config_;
  std::string text_;
};

}  // namespace sonde::api
