#include "analyses/steps/launch_repetition.h"

#include <gtest/gtest.h>

#include "analyses/steps/warm_up.h"
#include "trace/link.h"

namespace sonde {
namespace launch_repetition_test {

/// A thread that launches these kernels one after another, 10 us apart, and 100 us before each "a".
Trace launched(const std::vector<std::string>& kernels) {
  Trace trace;
  trace.fields = Fields::all();
  trace.ranks.emplace_back();
  trace.processes.emplace_back();
  trace.threads.emplace_back();
  trace.streams.emplace_back();
  int64_t time = 0;
  for (uint32_t i = 0; i < kernels.size(); ++i) {
    time += kernels[i] == "a" ? 100'000 : 10'000;
    trace.api.start.push_back(time);
    trace.api.end.push_back(time + 3'000);
    trace.api.name.push_back(trace.names.intern("cudaLaunchKernel"));
    trace.api.thread.push_back(0);
    trace.kernels.start.push_back(time + 5'000);
    trace.kernels.end.push_back(time + 9'000);
    trace.kernels.stream.push_back(0);
    trace.kernels.name.push_back(trace.names.intern(kernels[i]));
    trace.kernels.launch.push_back(i);
  }
  return trace;
}

std::vector<std::string> repeated(const std::vector<std::string>& turn, size_t times) {
  std::vector<std::string> kernels;
  for (size_t i = 0; i < times; ++i) kernels.insert(kernels.end(), turn.begin(), turn.end());
  return kernels;
}

std::optional<LaunchRepetition> repetition_in(const Trace& trace) {
  return find_launch_repetition(Launches(trace), 0, {0, 1'000'000'000});
}

TEST(LaunchRepetition, FindsTheTurnsOfALoop) {
  std::vector<std::string> kernels = {"x", "y", "z"};
  const auto loop = repeated({"a", "b", "b", "c"}, 20);
  kernels.insert(kernels.end(), loop.begin(), loop.end());
  const Trace trace = launched(kernels);
  const auto found = repetition_in(trace);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->launches, 4U);
  EXPECT_EQ(first_operation(trace, found->first_call), "a");
  EXPECT_EQ(found->turns.size(), 19U);
  for (const Span& turn : found->turns) EXPECT_EQ(turn.second - turn.first, 130'000);
}

TEST(LaunchRepetition, IsNoneWithoutALoop) {
  EXPECT_FALSE(repetition_in(launched({"a", "b", "c", "d", "e", "f", "g", "h"})).has_value());
  EXPECT_FALSE(repetition_in(launched(repeated({"a", "b", "c"}, 4))).has_value()) << "4 turns are too few";
  EXPECT_FALSE(repetition_in(Trace()).has_value());
}

TEST(LaunchRepetition, MakesStepsWhereNoRangeDoes) {
  const Trace trace = launched(repeated({"a", "b", "c"}, 10));
  const auto steps = find_warm_up(trace);
  ASSERT_TRUE(steps.has_value());
  EXPECT_EQ(steps->range, "3 launches from a");
  EXPECT_EQ(steps->thread, 0U);
  EXPECT_EQ(steps->steady.size(), 9U);
}

}  // namespace launch_repetition_test
}  // namespace sonde
