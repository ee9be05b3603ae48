#include <algorithm>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace repeated_sequence_test {

constexpr int64_t kUs = 1000;

/// One thread far ahead of its GPU: a long kernel first, then layers of a long kernel and short ones.
class Layers {
 public:
  Layers() : thread_(builder_.thread(1, 1)), stream_(builder_.stream(1)) { kernel("first", 20'000 * kUs); }

  void layer(const std::vector<std::string>& names, int64_t short_ns) {
    kernel("gemm", 100 * kUs);
    for (const std::string& name : names) kernel(name, short_ns);
  }
  [[nodiscard]] Trace build() { return builder_.build(); }

 private:
  void kernel(const std::string& name, int64_t duration) {
    const uint32_t id = builder_.call(thread_, now_, now_ + 5 * kUs);
    now_ += 10 * kUs;
    gpu_ = std::max(gpu_, now_);
    run(name, duration, id);
  }
  void run(const std::string& name, int64_t duration, uint32_t id) {
    builder_.kernel(stream_, gpu_ + kUs, gpu_ + kUs + duration, name, id);
    gpu_ += kUs + duration;
  }

  TraceBuilder builder_;
  ThreadId thread_;
  StreamId stream_;
  int64_t now_ = 0;
  int64_t gpu_ = 0;
};

const Finding* found(const Diagnosis& diagnosis) {
  const auto finding = std::ranges::find(diagnosis.findings, "repeated_sequence", &Finding::id);
  return finding == diagnosis.findings.end() ? nullptr : &*finding;
}

TEST(RepeatedSequence, CeilingIsWhatEachKernelButOneTakesForNothing) {
  Layers run;
  for (int i = 0; i < 100; ++i) run.layer({"bias", "gelu", "dropout", "add"}, 5 * kUs);
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = found(diagnosis);
  ASSERT_NE(finding, nullptr);
  // The last of 100 layers is not judged. Three kernels less in each: 1.7 us each, and 1 us to start.
  EXPECT_EQ(finding->ceiling_ns, 99 * 3 * 2'700);
}

TEST(RepeatedSequence, RunsOfOneNameAreNone) {
  Layers run;
  for (int i = 0; i < 100; ++i) run.layer({"add", "add", "mul", "mul"}, 5 * kUs);
  const Trace trace = run.build();
  EXPECT_EQ(found(diagnose(Facts(trace))), nullptr);
}

TEST(RepeatedSequence, LongKernelsAreNone) {
  Layers run;
  for (int i = 0; i < 100; ++i) run.layer({"bias", "gelu", "dropout", "add"}, 20 * kUs);
  const Trace trace = run.build();
  EXPECT_EQ(found(diagnose(Facts(trace))), nullptr);
}

TEST(RepeatedSequence, WhereTheHostIsTooSlowLaunchBoundTells) {
  TraceBuilder builder;
  const ThreadId thread = builder.thread(1, 1);
  const StreamId stream = builder.stream(1);
  const std::vector<std::string> names{"bias", "gelu", "dropout", "add"};
  for (size_t i = 0; i < 400; ++i) {
    const auto now = static_cast<int64_t>(i) * 50 * kUs;
    builder.kernel(stream, now + 6 * kUs, now + 11 * kUs, names[i % 4], builder.call(thread, now, now + 5 * kUs));
  }
  const Trace trace = builder.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(found(diagnosis), nullptr);
  EXPECT_NE(std::ranges::find(diagnosis.findings, "launch_bound", &Finding::id), diagnosis.findings.end());
}

TEST(RepeatedSequence, AbstainsWithoutLaunchingCalls) {
  TraceBuilder builder;
  const StreamId stream = builder.stream(1);
  for (int64_t i = 0; i < 100; ++i) {
    builder.kernel(stream, i * 6 * kUs, i * 6 * kUs + 5 * kUs, i % 2 == 0 ? "bias" : "gelu", builder.unlinked());
  }
  const Trace trace = builder.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(found(diagnosis), nullptr);
  EXPECT_NE(std::ranges::find(diagnosis.abstentions, "repeated_sequence", &Abstention::rule),
            diagnosis.abstentions.end());
}

}  // namespace repeated_sequence_test
}  // namespace sonde
