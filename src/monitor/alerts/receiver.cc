#include "monitor/alerts/receiver.h"

#include <algorithm>

namespace sonde::monitor {

Receiver::Receiver(std::string url, std::unique_ptr<Outbox> outbox, HttpPoster& poster, Log& log,
                   const SenderOptions& options)
    : url_(std::move(url)),
      poster_(poster),
      log_(log),
      options_(options),
      delivery_(std::move(outbox), options.pace),
      thread_([this] { run(); }) {}

Receiver::~Receiver() {
  stop();
  thread_.join();
}

void Receiver::take(const std::vector<IncidentNews>& news, const std::vector<Incident>& open,
                    const config::Alerts& alerts) {
  const std::scoped_lock lock(mutex_);
  delivery_.outbox().take(news, open, alerts, options_.now_ns());
  changed_.notify_all();
}

void Receiver::stop() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

AlertCounts Receiver::counts() const {
  const std::scoped_lock lock(mutex_);
  AlertCounts counts = counts_;
  counts.waiting = delivery_.outbox().waiting();
  return counts;
}

bool Receiver::drain(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [&] { return is_idle() || stopping_; });
}

bool Receiver::over() const {
  const std::scoped_lock lock(mutex_);
  return over_;
}

void Receiver::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wait_for_work(lock);
    if (stopping_) break;
    const std::string body = delivery_.begin(options_.now_ns());
    posting_ = true;
    lock.unlock();
    const PostOutcome outcome = post(body);
    lock.lock();
    posting_ = false;
    const int64_t failures_before = delivery_.failures_in_a_row();
    delivery_.end(outcome, options_.now_ns());
    ++(outcome == PostOutcome::arrived ? counts_.sent : counts_.failed);
    changed_.notify_all();
    lock.unlock();
    log_outcome(outcome, failures_before);
    lock.lock();
  }
  over_ = true;
}

void Receiver::wait_for_work(std::unique_lock<std::mutex>& lock) {
  while (!stopping_) {
    const int64_t now_ns = options_.now_ns();
    const auto next_ns = delivery_.next_ns(now_ns);
    if (!next_ns) {
      changed_.wait(lock);
      continue;
    }
    if (*next_ns <= now_ns) return;
    // The clock of the host may be set meanwhile: it is looked at again after a minute at the latest.
    const int64_t wait_ns = std::min<int64_t>(*next_ns - now_ns, 60'000'000'000);
    changed_.wait_for(lock, std::chrono::nanoseconds(wait_ns));
  }
}

PostOutcome Receiver::post(const std::string& body) {
  const auto status = poster_.post(url_, "application/json", body, options_.timeout);
  if (!status) {
    trouble_ = status.error().message;
    return PostOutcome::failed;
  }
  trouble_ = fmt::format("it responded with status {}", *status);
  if (*status >= 300 && *status < 400)
    trouble_ += "; redirects are not followed: configure the target URL of the redirect";
  return outcome_of(*status);
}

void Receiver::log_outcome(PostOutcome outcome, int64_t failures_before) {
  const std::vector<LogField> fields = {{"receiver", shown_receiver(url_)}};
  if (outcome == PostOutcome::arrived) {
    if (failures_before > 0) log_.info("The receiver accepts alerts again.", fields);
    return;
  }
  if (failures_before > 0) return;
  const std::string_view next =
      outcome == PostOutcome::failed ? "They are retried with increasing delays." : "Rejected alerts are not re-sent.";
  log_.warning(fmt::format("Alerts cannot be delivered: {}. {}", trouble_, next), fields);
}

}  // namespace sonde::monitor
