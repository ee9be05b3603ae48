#include "monitor/event_log.h"

#include <gtest/gtest.h>

namespace sonde::monitor {
namespace event_log_test {

std::vector<int64_t> ids(const std::vector<Event>& events) {
  std::vector<int64_t> found;
  found.reserve(events.size());
  for (const Event& event : events) found.push_back(event.id);
  return found;
}

TEST(EventLog, TellsWhatCameAfter) {
  EventLog log;
  for (int i = 0; i < 5; ++i) static_cast<void>(log.add("samples", "{}"));
  bool missed = true;
  EXPECT_EQ(ids(log.after(0, 10, missed)), (std::vector<int64_t>{1, 2, 3, 4, 5}));
  EXPECT_FALSE(missed);
  EXPECT_EQ(ids(log.after(3, 10, missed)), (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(ids(log.after(1, 2, missed)), (std::vector<int64_t>{2, 3}));
  EXPECT_TRUE(log.after(5, 10, missed).empty());
  EXPECT_TRUE(log.after(99, 10, missed).empty());
}

TEST(EventLog, SaysThatSomeAreGone) {
  EventLog log(3);
  for (int i = 0; i < 5; ++i) static_cast<void>(log.add("samples", "{}"));
  bool missed = false;
  EXPECT_EQ(ids(log.after(1, 10, missed)), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_TRUE(missed);
  EXPECT_EQ(ids(log.after(2, 10, missed)), (std::vector<int64_t>{3, 4, 5}));
  EXPECT_FALSE(missed);
}

TEST(EventLog, TellsSubscribersUntilTheyLeave) {
  EventLog log;
  int told = 0;
  const int64_t subscription = log.subscribe([&] { ++told; });
  static_cast<void>(log.add("config", "{}"));
  log.unsubscribe(subscription);
  static_cast<void>(log.add("config", "{}"));
  EXPECT_EQ(told, 1);
}

}  // namespace event_log_test
}  // namespace sonde::monitor
