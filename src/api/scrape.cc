#include "api/scrape.h"

namespace sonde::api {

std::string ScrapeCache::text(const std::shared_ptr<const monitor::HostSnapshot>& host,
                              const std::shared_ptr<const config::Config>& config, const Make& make) {
  const std::scoped_lock lock(mutex_);
  if (host_ != host || config_ != config) {
    text_ = make();
    host_ = host;
    config_ = config;
  }
  return text_;
}

}  // namespace sonde::api
