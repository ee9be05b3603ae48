#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace sonde::monitor {

/// Something that happened, as the event stream reports it.
struct Event {
  int64_t id = 0;    ///< grows by 1
  std::string type;  ///< "samples", "incident", "config", "source"; later "task"
  std::string data;  ///< JSON, one line
};

/// The last events, for those who follow and those who come back. Thread-safe.
class EventLog {
 public:
  explicit EventLog(size_t max = 4096) : most_(max) {}

  int64_t add(std::string type, std::string data);
  /// Events after `id`, the oldest first, at most `max`. `missed` is set where some are gone already.
  [[nodiscard]] std::vector<Event> after(int64_t id, size_t max, bool& missed) const;
  [[nodiscard]] int64_t last_id() const;

  /// `callback` is called after each event, from the thread that adds it; it must be quick and must not call this
  /// object.
  [[nodiscard]] int64_t subscribe(std::function<void()> callback);
  void unsubscribe(int64_t subscription);

 private:
  mutable std::mutex mutex_;
  size_t most_;
  std::deque<Event> events_;
  int64_t last_id_ = 0;
  std::map<int64_t, std::function<void()>> subscribers_;
  int64_t last_subscription_ = 0;
};

}  // namespace sonde::monitor
