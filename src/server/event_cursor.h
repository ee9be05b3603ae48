#pragma once

#include <cstddef>
#include <string>

#include "api/message.h"
#include "monitor/event_log.h"

namespace sonde::server {

/// One event in the form of text/event-stream.
[[nodiscard]] std::string event_text(const monitor::Event& event);

/// The place of one follower in the log of events.
class EventCursor {
 public:
  explicit EventCursor(api::EventStream from) : from_(std::move(from)) {}

  /// The next events as text/event-stream, some at a time; empty where there are none. Where some are gone that the
  /// follower has not seen, or it comes from before a restart: one event "reset", behind which it goes on.
  [[nodiscard]] std::string next(const monitor::EventLog& log);

 private:
  [[nodiscard]] bool wants(const std::string& type) const;
  api::EventStream from_;
};

}  // namespace sonde::server
