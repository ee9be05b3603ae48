#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>

#include "config/config.h"
#include "monitor/exposition.h"

namespace sonde::api {

/// The text of the metrics, made once for each snapshot: several Prometheus servers scrape the same. Thread-safe.
class ScrapeCache {
 public:
  [[nodiscard]] std::string text(const std::shared_ptr<const monitor::HostSnapshot>& host,
                                 const std::shared_ptr<const config::Config>& config, monitor::DcgmForm form,
                                 const std::string& hostname);

 private:
  std::mutex mutex_;
  std::shared_ptr<const monitor::HostSnapshot> host_;
  std::shared_ptr<const config::Config> config_;
  std::array<std::string, 2> texts_;  ///< by form; empty: not made yet
};

}  // namespace sonde::api
