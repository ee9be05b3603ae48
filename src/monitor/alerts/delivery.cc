#include "monitor/alerts/delivery.h"

#include <algorithm>

#include "base/time_units.h"

namespace sonde::monitor {
namespace {}  // namespace

PostOutcome outcome_of(int status) {
  if (status >= 200 && status < 300) return PostOutcome::arrived;
  if (status >= 500 || status == 429 || status == 408) return PostOutcome::failed;
  return PostOutcome::refused;
}

std::optional<int64_t> Delivery::next_ns(int64_t now_ns) {
  // Pauses do not last until a clock that was set back has caught up.
  for (int64_t& begun_ns : begun_ns_) begun_ns = std::min(begun_ns, now_ns);
  not_before_ns_ = std::min(not_before_ns_, now_ns + pace_.longest_pause_ns);
  outbox_->clock_is(now_ns);
  const auto due_ns = outbox_->due_ns();
  if (!due_ns) return std::nullopt;
  const bool spent = begun_ns_.size() >= pace_.posts_a_minute;
  return std::max({*due_ns, not_before_ns_, spent ? begun_ns_.front() + kNsPerMinute : 0});
}

std::string Delivery::begin(int64_t now_ns) {
  // The minute's last POST tells all that waits, so that a storm is not told a minute late.
  hurried_ = hurried_ || begun_ns_.size() + 1 >= pace_.posts_a_minute;
  begun_ns_.push_back(now_ns);
  while (!begun_ns_.empty() &&
         (begun_ns_.size() > pace_.posts_a_minute || begun_ns_.front() + kNsPerMinute <= now_ns)) {
    begun_ns_.pop_front();
  }
  return outbox_->body(now_ns, hurried_);
}

void Delivery::end(PostOutcome outcome, int64_t now_ns) {
  if (outcome != PostOutcome::failed) outbox_->done(now_ns);
  if (outcome == PostOutcome::arrived) {
    failures_ = 0;
    hurried_ = hurried_ && begun_ns_.size() + 1 >= pace_.posts_a_minute;
    return;
  }
  const int64_t doublings = std::min<int64_t>(failures_++, 20);
  not_before_ns_ = now_ns + std::min(pace_.longest_pause_ns, pace_.first_pause_ns << doublings);
}

}  // namespace sonde::monitor
