#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace launch_bound_test {

constexpr int64_t kUs = 1000;

/// One thread that launches kernels of `kernel_ns` each, a launch every `host_ns`, ahead of the GPU where it can be.
class Launching {
 public:
  Launching() : thread_(builder_.thread(1, 1)), stream_(builder_.stream(1)) {}

  void launch(int kernels, int64_t host_ns, int64_t kernel_ns, std::string_view name = {}) {
    for (int i = 0; i < kernels; ++i) {
      now_ += host_ns;
      const uint32_t id = builder_.call(thread_, now_ - 5 * kUs, now_);
      const int64_t start = std::max(now_ + kUs, gpu_ + kUs);
      builder_.kernel(stream_, start, start + kernel_ns, name.empty() ? fmt::format("kernel {}", i) : name, id);
      gpu_ = start + kernel_ns;
    }
  }
  void synchronize() {
    const int64_t end = std::max(now_, gpu_) + 2 * kUs;
    builder_.call(thread_, now_, end, "cudaDeviceSynchronize_v3020");
    now_ = end;
  }
  void kernels_without_launch(int kernels) {
    for (int i = 0; i < kernels; ++i) {
      builder_.kernel(stream_, gpu_, gpu_ + 5 * kUs, "gemm", builder_.unlinked());
      gpu_ += 50 * kUs;
    }
  }
  void range(int64_t start, std::string_view name) { builder_.push_pop(thread_, start, now_, name); }
  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] Trace build() { return builder_.build(); }

 private:
  TraceBuilder builder_;
  ThreadId thread_;
  StreamId stream_;
  int64_t now_ = 0;
  int64_t gpu_ = 0;
};

const Finding* found(const Diagnosis& diagnosis) {
  const auto finding = std::ranges::find(diagnosis.findings, "launch_bound", &Finding::id);
  return finding == diagnosis.findings.end() ? nullptr : &*finding;
}

TEST(LaunchBound, CeilingIsTheHostTimeThatAGraphTakesAway) {
  Launching run;
  run.launch(4, 10 * kUs, 200 * kUs);  // ahead
  run.synchronize();
  run.launch(101, 50 * kUs, 20 * kUs);
  run.synchronize();
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = found(diagnosis);
  ASSERT_NE(finding, nullptr);
  // As one graph: kernel by kernel, 20 us, instead of one each 50 us.
  EXPECT_EQ(finding->ceiling_ns, 100 * (50 - 20) * kUs);
}

TEST(LaunchBound, LeavesTheGainThatAnotherFindingTells) {
  Launching run;
  for (int i = 0; i < 60; ++i)
    run.launch(1, 50 * kUs, 5 * kUs, "fill");  // one run for tiny_kernels, too short a part for a loop
  run.launch(301, 50 * kUs, 20 * kUs);
  run.synchronize();
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  ASSERT_EQ(std::ranges::count(diagnosis.findings, "tiny_kernels", &Finding::id), 1);
  const Finding* finding = found(diagnosis);
  ASSERT_NE(finding, nullptr);
  // As one graph, and not the fills before it.
  EXPECT_NEAR(static_cast<double>(finding->ceiling_ns), 300.0 * (50 - 21) * kUs, 400 * kUs);
}

TEST(LaunchBound, ClaimsTheIdleTimeOfItsStretches) {
  Launching run;
  run.launch(101, 50 * kUs, 20 * kUs);
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  ASSERT_NE(found(diagnosis), nullptr);
  const auto idle = [](const Finding& finding) { return finding.id.starts_with("gpu_idle"); };
  EXPECT_TRUE(std::ranges::none_of(diagnosis.findings, idle));
}

TEST(LaunchBound, IsSilentWhereTheHostWaitsBetweenLaunches) {
  Launching run;
  for (int i = 0; i < 20; ++i) {
    run.launch(10, 50 * kUs, 20 * kUs);
    run.synchronize();
  }
  const Trace trace = run.build();
  EXPECT_EQ(found(diagnose(Facts(trace))), nullptr);
}

TEST(LaunchBound, IsSilentWhereTheHostIsAhead) {
  Launching run;
  run.launch(100, 10 * kUs, 20 * kUs);
  const Trace trace = run.build();
  EXPECT_EQ(found(diagnose(Facts(trace))), nullptr);
}

TEST(LaunchBound, IsSilentWhereLongHostWorkStandsBetweenLaunches) {
  Launching run;
  run.launch(100, 2'000 * kUs, 20 * kUs);
  const Trace trace = run.build();
  EXPECT_EQ(found(diagnose(Facts(trace))), nullptr);
}

TEST(LaunchBound, SaysInWhichRangeMostOfItLies) {
  Launching run;
  run.launch(10, 10 * kUs, 200 * kUs);
  run.synchronize();
  for (int layer = 0; layer < 2; ++layer) {
    const int64_t start = run.now();
    run.launch(40, 50 * kUs, 20 * kUs);
    run.range(start, layer == 0 ? "layer.0" : "layer.1");
  }
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  ASSERT_NE(found(diagnosis), nullptr);
  EXPECT_EQ(found(diagnosis)->arguments.front().text, "In layer.#");
}

TEST(LaunchBound, AbstainsWithoutLaunchingCalls) {
  Launching run;
  run.kernels_without_launch(100);
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(found(diagnosis), nullptr);
  const auto reason = std::ranges::find(diagnosis.abstentions, "launch_bound.no_launches", &Abstention::id);
  EXPECT_NE(reason, diagnosis.abstentions.end());
}

}  // namespace launch_bound_test
}  // namespace sonde
