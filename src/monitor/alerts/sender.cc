#include "monitor/alerts/sender.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "monitor/alerts/receiver.h"

namespace sonde::monitor {
namespace {

int64_t system_now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string alerts_url(std::string base) {
  while (base.ends_with('/')) base.pop_back();
  return base + "/api/v2/alerts";
}

class Sender final : public AlertSender {
 public:
  Sender(std::unique_ptr<HttpPoster> poster, Log& log, std::string hostname, SenderOptions options)
      : poster_(std::move(poster)), log_(log), hostname_(std::move(hostname)), options_(std::move(options)) {}

  ~Sender() override {
    const std::scoped_lock lock(mutex_);
    for (const auto& [url, receiver] : receivers_) receiver->stop();
    poster_->stop();
    receivers_.clear();
    leaving_.clear();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  void notify(const std::vector<IncidentNews>& news, const std::vector<Incident>& open,
              const config::Alerts& alerts) override {
    const std::scoped_lock lock(mutex_);
    keep_receivers(alerts);
    for (const auto& [url, receiver] : receivers_) receiver->take(news, open, alerts);
  }

  AlertCounts counts() const override {
    const std::scoped_lock lock(mutex_);
    AlertCounts all = past_;
    for (const auto& [url, receiver] : receivers_) add(receiver->counts(), all);
    return all;
  }

  void drain(std::chrono::milliseconds timeout) override {
    const std::scoped_lock lock(mutex_);
    const auto until = std::chrono::steady_clock::now() + timeout;
    for (const auto& [url, receiver] : receivers_) {
      if (!receiver->drain(until)) return;
    }
  }

 private:
  static void add(const AlertCounts& counts, AlertCounts& all) {
    all.sent += counts.sent;
    all.failed += counts.failed;
    all.waiting += counts.waiting;
  }

  /// The configuration may have changed: new receivers are added, and those that it does not name any more end, without
  /// waiting for one that hangs.
  void keep_receivers(const config::Alerts& alerts) {
    std::map<std::string, bool> wanted;  // whether it is an Alertmanager
    for (const std::string& url : alerts.webhooks) wanted[url] = false;
    for (const std::string& url : alerts.alertmanagers) wanted[alerts_url(url)] = true;
    for (auto one = receivers_.begin(); one != receivers_.end();) {
      if (wanted.contains(one->first)) {
        ++one;
        continue;
      }
      add(one->second->counts(), past_);
      one->second->stop();
      leaving_.push_back(std::move(one->second));
      one = receivers_.erase(one);
    }
    past_.waiting = 0;
    std::erase_if(leaving_, [](const auto& receiver) { return receiver->over(); });
    for (const auto& [url, is_alertmanager] : wanted) {
      if (!receivers_.contains(url)) receivers_[url] = make_receiver(url, is_alertmanager);
    }
  }

  std::unique_ptr<Receiver> make_receiver(const std::string& url, bool is_alertmanager) {
    std::unique_ptr<Outbox> outbox;
    if (is_alertmanager) {
      outbox = std::make_unique<AlertmanagerOutbox>(hostname_);
    } else {
      outbox = std::make_unique<WebhookOutbox>();
    }
    return std::make_unique<Receiver>(url, std::move(outbox), *poster_, log_, options_);
  }

  std::unique_ptr<HttpPoster> poster_;
  Log& log_;
  std::string hostname_;
  SenderOptions options_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Receiver>> receivers_;  ///< by URL
  std::vector<std::unique_ptr<Receiver>> leaving_;
  AlertCounts past_;  ///< of receivers that are gone
};

}  // namespace

std::string shown_receiver(const std::string& url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos) return "?";
  std::string authority = url.substr(scheme + 3, url.find_first_of("/?#", scheme + 3) - scheme - 3);
  authority.erase(0, authority.rfind('@') + 1);  // npos + 1 is 0
  return url.substr(0, scheme + 3) + authority;
}

std::unique_ptr<AlertSender> start_sender(std::unique_ptr<HttpPoster> poster, Log& log, std::string hostname,
                                          SenderOptions options) {
  if (!options.now_ns) options.now_ns = system_now_ns;
  return std::make_unique<Sender>(std::move(poster), log, std::move(hostname), std::move(options));
}

std::unique_ptr<AlertSender> AlertSender::start(std::unique_ptr<HttpPoster> poster, Log& log, std::string hostname) {
  return start_sender(std::move(poster), log, std::move(hostname), {});
}

}  // namespace sonde::monitor
