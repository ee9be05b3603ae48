#include "monitor/event_log.h"

#include <algorithm>

namespace sonde::monitor {

int64_t EventLog::add(std::string type, std::string data) {
  const std::scoped_lock lock(mutex_);
  events_.push_back({++last_id_, std::move(type), std::move(data)});
  if (events_.size() > most_) events_.pop_front();
  for (const auto& [id, callback] : subscribers_) callback();
  return last_id_;
}

std::vector<Event> EventLog::after(int64_t id, size_t max, bool& missed) const {
  const std::scoped_lock lock(mutex_);
  const int64_t oldest = last_id_ - static_cast<int64_t>(events_.size()) + 1;
  missed = id + 1 < oldest;
  const int64_t skipped = std::clamp<int64_t>(id + 1 - oldest, 0, static_cast<int64_t>(events_.size()));
  const auto count = std::min<size_t>(max, events_.size() - static_cast<size_t>(skipped));
  const auto first = events_.begin() + skipped;
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

int64_t EventLog::last_id() const {
  const std::scoped_lock lock(mutex_);
  return last_id_;
}

int64_t EventLog::subscribe(std::function<void()> callback) {
  const std::scoped_lock lock(mutex_);
  subscribers_.emplace(++last_subscription_, std::move(callback));
  return last_subscription_;
}

void EventLog::unsubscribe(int64_t subscription) {
  const std::scoped_lock lock(mutex_);
  subscribers_.erase(subscription);
}

}  // namespace sonde::monitor
