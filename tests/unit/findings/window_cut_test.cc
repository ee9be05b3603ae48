#include <algorithm>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace window_cut_test {

constexpr int64_t kUs = 1000;
constexpr int64_t kLaunches = 400;

/// A thread launches a kernel each 10 us, each runs 20 us, and the recording has the kernels that begin in it.
class Behind {
 public:
  /// `backlog`: kernels that the GPU has to run yet when the recording begins.
  explicit Behind(int64_t backlog) : thread_(builder_.thread(1, 1)), stream_(builder_.stream(1)) {
    std::vector<uint32_t> calls;
    for (int64_t i = 0; i < backlog; ++i) calls.push_back(builder_.unlinked());
    for (int64_t i = 0; i < kLaunches; ++i) calls.push_back(builder_.call(thread_, 10 * i * kUs, (10 * i + 5) * kUs));
    for (size_t i = 0; i < calls.size(); ++i) kernels_.push_back({static_cast<int64_t>(20 * i) * kUs, calls[i]});
  }

  /// The launches in steps of 20.
  void add_steps() {
    for (int64_t i = 0; i < kLaunches; i += 20) builder_.push_pop(thread_, 10 * i * kUs, 10 * (i + 20) * kUs, "step");
  }

  /// Until this time the recording has kernels, but those that begin between `lost_from` and `lost_until`.
  [[nodiscard]] Trace build(int64_t end, int64_t lost_from = 0, int64_t lost_until = 0) {
    std::string name;
    for (const auto& [start, call] : kernels_) {
      name += 'k';  // no sequence of kernels repeats
      const bool lost = start >= lost_from && start < lost_until;
      if (start + 19 * kUs <= end && !lost) builder_.kernel(stream_, start, start + 19 * kUs, name, call);
    }
    return builder_.build();
  }

 private:
  TraceBuilder builder_;
  ThreadId thread_;
  StreamId stream_;
  std::vector<std::pair<int64_t, uint32_t>> kernels_;
};

bool fails(const Facts& facts, Check check) {
  const auto failed = failed_checks(facts);
  return std::ranges::find(failed, check, &FailedCheck::check) != failed.end();
}

TEST(WindowCut, JudgesTheTimeBeforeTheFirstLaunchThatIsCutOff) {
  Behind run(50);  // 1 ms behind: of 400 launches in 4 ms 150 kernels run in them
  const Trace trace = run.build(4000 * kUs);
  const Facts facts(trace);
  ASSERT_TRUE(facts.cut);
  EXPECT_EQ(facts.cut->launches, 250);
  EXPECT_EQ(facts.extent, Span(0, 1500 * kUs));
  EXPECT_FALSE(fails(facts, Check::records_complete));
  EXPECT_FALSE(fails(facts, Check::window_long_enough));
}

TEST(WindowCut, StepsThatAreCutOffAreNotJudgedOnTheHostEither) {
  Behind run(50);
  run.add_steps();
  const Trace trace = run.build(4000 * kUs);
  const Facts facts(trace);
  ASSERT_TRUE(facts.cut && facts.steps);
  EXPECT_EQ(facts.steps->steady.size(), 7);  // of 20, and of 150 launches whose kernels are recorded
  EXPECT_EQ(facts.steps->launched.size(), 7);
  EXPECT_EQ(facts.steps->launched.back(), Span(1200 * kUs, 1400 * kUs));
}

TEST(WindowCut, RecordsLostInTheMidstStayLost) {
  Behind run(0);
  const Trace trace = run.build(4000 * kUs, 1000 * kUs, 2000 * kUs);
  const Facts facts(trace);
  ASSERT_TRUE(facts.cut);
  EXPECT_EQ(facts.cut->launches, 200);
  EXPECT_TRUE(fails(facts, Check::records_complete));
}

TEST(WindowCut, RecordsLostAtTheBeginningStayLost) {
  Behind run(0);
  const Trace trace = run.build(8000 * kUs, 0, 1000 * kUs);
  EXPECT_TRUE(fails(Facts(trace), Check::records_complete));
}

TEST(WindowCut, RecordsLostAtTheEndStayLost) {
  Behind run(0);
  const Trace trace = run.build(4000 * kUs, 2000 * kUs, 4000 * kUs);
  const Facts facts(trace);
  EXPECT_FALSE(facts.cut);
  EXPECT_TRUE(fails(facts, Check::records_complete));
}

TEST(WindowCut, NothingIsCutOfACompleteRecording) {
  Behind run(0);
  const Trace trace = run.build(9000 * kUs);
  const Facts facts(trace);
  EXPECT_FALSE(facts.cut);
  EXPECT_TRUE(facts.is_whole());
  EXPECT_FALSE(fails(facts, Check::records_complete));
}

TEST(WindowCut, TooShortAWindowIsSaid) {
  Behind run(190);  // 10 of the launches run in the recording
  const Trace trace = run.build(4000 * kUs);
  const Facts facts(trace);
  ASSERT_TRUE(facts.cut);
  EXPECT_EQ(facts.cut->launches, kLaunches - 10);
  EXPECT_FALSE(facts.is_whole());
  EXPECT_TRUE(fails(facts, Check::window_long_enough));
}

}  // namespace window_cut_test
}  // namespace sonde
