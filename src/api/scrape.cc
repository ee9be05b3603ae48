#include "api/scrape.h"

namespace sonde::api {

std::string ScrapeCache::text(const std::shared_ptr<const monitor::HostSnapshot>& host,
                              const std::shared_ptr<const config::Config>& config, monitor::DcgmForm form,
                              const std::string& hostname) {
  const std::scoped_lock lock(mutex_);
  if (host_ != host || config_ != config) {
    texts_ = {};
    host_ = host;
    config_ = config;
  }
  std::string& text = texts_.at(static_cast<size_t>(form));
  if (text.empty()) text = monitor::exposition(*host, *config, hostname, form);
  return text;
}

}  // namespace sonde::api
