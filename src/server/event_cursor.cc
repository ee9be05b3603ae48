#include "server/event_cursor.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace sonde::server {

std::string event_text(const monitor::Event& event) {
  std::string text = fmt::format("id: {}\nevent: {}\n", event.id, event.type);
  size_t begin = 0;
  for (;;) {  // a line of its own for each line of the data, as the form has it
    const size_t end = std::min(event.data.find_first_of("\r\n", begin), event.data.size());
    text += fmt::format("data: {}\n", std::string_view(event.data).substr(begin, end - begin));
    if (end == event.data.size()) return text + "\n";
    begin = end + 1;
  }
}

bool EventCursor::wants(const std::string& type) const {
  return from_.types.empty() || std::ranges::find(from_.types, type) != from_.types.end();
}

std::string EventCursor::next(const monitor::EventLog& log) {
  constexpr size_t kAtOnce = 64;  // so that a slow reader holds little memory
  std::string text;
  while (text.empty()) {
    bool missed = false;
    const auto events = log.after(from_.after_id, kAtOnce, missed);
    if (missed || from_.after_id > log.last_id()) {
      from_.after_id = log.last_id();
      return event_text({.id = from_.after_id, .type = "reset", .data = "{}"});
    }
    if (events.empty()) break;
    for (const monitor::Event& event : events) {
      if (wants(event.type)) text += event_text(event);
    }
    from_.after_id = events.back().id;
  }
  return text;
}

}  // namespace sonde::server
