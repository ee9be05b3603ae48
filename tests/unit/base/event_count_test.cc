#include "base/system/event_count.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/system/subprocess.h"

namespace sonde {
namespace event_count_test {

int64_t count_of(const char* script) {
  const auto count = EventCount::of_programs(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
  EXPECT_TRUE(count) << count.error().message;
  const auto end = system_subprocess_runner()->run({.words = {"sh", "-c", script}});
  EXPECT_TRUE(end && end->succeeded());
  const auto value = count->read();
  EXPECT_TRUE(value) << value.error().message;
  return value.value_or(0);
}

/// A page fault for each page that is touched, in the program and in what it starts.
TEST(EventCount, is_of_a_program_and_of_what_it_starts_in_turn) {
  if (const auto tried = EventCount::of_programs(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS); !tried) {
    GTEST_SKIP() << tried.error().message;
  }
  constexpr int64_t kPages = 40 << 20 >> 12;
  const int64_t none = count_of("true");
  const int64_t nested = count_of("sh -c 'head -c 40M /dev/zero | tail -c 40M > /dev/null; true'; true");
  EXPECT_GT(none, 0);
  EXPECT_LT(none, kPages / 2);
  EXPECT_GT(nested, none + kPages / 2);
}

TEST(EventCount, says_why_an_event_is_not_counted) {
  constexpr uint64_t kNoEvent = 999;
  const auto count = EventCount::of_programs(PERF_TYPE_SOFTWARE, kNoEvent);
  ASSERT_FALSE(count);
  EXPECT_TRUE(count.error().message.starts_with("perf_event_open: ")) << count.error().message;
}

}  // namespace event_count_test
}  // namespace sonde
