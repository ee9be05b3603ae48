#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "findings/rule.h"
#include "shared/trace_builder.h"

/// The lengths of pauses are those of PyTorch 1.13 on CPython 3.11, on a quiet machine.
namespace sonde {
namespace host_pauses_test {

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;
constexpr int64_t kKernelNs = 15 * kUs;

/// Steps of operators that launch a kernel each and pause before the next one.
class PausingSteps {
 public:
  PausingSteps() : thread_(b_.thread(1, 1)), stream_(b_.stream(1)), ops_(b_.domain("torch.operator", DomainKind::op)) {}

  void operators(int count) {
    constexpr std::array kNames = {"aten::linear", "aten::relu", "aten::add", "aten::sum"};
    for (int i = 0; i < count; ++i) {
      const int64_t begin = now_;
      const uint32_t call = b_.call(thread_, now_ + 5 * kUs, now_ + 10 * kUs);
      gpu_ = std::max(gpu_, now_ + 12 * kUs) + kKernelNs;
      b_.kernel(stream_, gpu_ - kKernelNs, gpu_, kNames[static_cast<size_t>(i) % kNames.size()], call);
      now_ += 15 * kUs;
      b_.push_pop(thread_, begin, now_, kNames[static_cast<size_t>(i) % kNames.size()], ops_);
      now_ += 3 * kUs;
    }
  }
  void pause(int64_t ns) { now_ += ns; }
  template <typename Body>
  void step(const Body& body) {
    const int64_t begin = now_;
    body();
    b_.push_pop(thread_, begin, now_, "step");
    now_ += kUs;
  }
  void range_from(int64_t begin, std::string_view name) { b_.push_pop(thread_, begin, now_, name); }
  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] Trace build() { return b_.build(); }

 private:
  TraceBuilder b_;
  ThreadId thread_;
  StreamId stream_;
  DomainId ops_;
  int64_t now_ = kMs;
  int64_t gpu_ = 0;
};

const Finding* find(const Diagnosis& diagnosis, std::string_view id) {
  const auto found = std::ranges::find(diagnosis.findings, id, &Finding::id);
  return found == diagnosis.findings.end() ? nullptr : &*found;
}

/// Twelve steps with three pauses each, at other places from step to step.
Trace steps_with_pauses(const std::array<int64_t, 3>& lengths) {
  PausingSteps run;
  for (int step = 0; step < 12; ++step) {
    run.step([&] {
      for (int i = 0; i < 3; ++i) {
        run.operators(5 + (step + i) % 4);
        run.pause(lengths[static_cast<size_t>(i)] + 7 * kUs * step);
      }
      run.operators(10);
    });
  }
  return run.build();
}

TEST(GilWait, PausesOfSwitchIntervalsAreWaitsForTheLock) {
  const Trace trace = steps_with_pauses({5'177 * kUs, 10'425 * kUs, 5'206 * kUs});
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = find(diagnosis, "gil_wait");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding, &diagnosis.findings.front());
  EXPECT_EQ(find(diagnosis, "rare_pauses"), nullptr);
  // 20.8 ms of a step are pauses; the GPU works for some us of them.
  EXPECT_NEAR(static_cast<double>(finding->ceiling_ns), 12 * 20.85 * kMs, 3.0 * kMs);
}

TEST(GilWait, PausesOfOtherLengthsAreNot) {
  const Trace trace = steps_with_pauses({6'500 * kUs, 12'500 * kUs, 8'100 * kUs});
  EXPECT_EQ(find(diagnose(Facts(trace)), "gil_wait"), nullptr);
}

TEST(GilWait, OnePlaceOfAStepIsTheProgramsOwnCode) {
  PausingSteps run;
  for (int step = 0; step < 12; ++step) {
    run.step([&] {
      run.operators(20);
      run.pause(5'200 * kUs);
      run.operators(20);
    });
  }
  EXPECT_EQ(find(diagnose(Facts(run.build())), "gil_wait"), nullptr);
}

/// Every sixth step pauses for 60 ms where the others pause for 2.5 ms.
Trace steps_with_rare_pauses(std::string_view range) {
  PausingSteps run;
  for (int step = 0; step < 24; ++step) {
    run.step([&] {
      run.operators(20);
      const int64_t begin = run.now();
      run.pause(step % 6 == 5 ? 60 * kMs : 2'500 * kUs);
      if (step % 6 == 5 && !range.empty()) run.range_from(begin + kUs, range);
      run.operators(3);
    });
  }
  return run.build();
}

TEST(RarePauses, TheyAreTheCeiling) {
  const Trace trace = steps_with_rare_pauses("");
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const Finding* finding = find(diagnosis, "rare_pauses");
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(static_cast<double>(finding->ceiling_ns), 4 * 60.0 * kMs, 1.0 * kMs);
}

TEST(RarePauses, ARangeOfTheProgramNamesWhatRuns) {
  const Trace trace = steps_with_rare_pauses("checkpoint");
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(find(diagnosis, "rare_pauses"), nullptr);
  const Finding* range = find(diagnosis, "gpu_idle_range");
  ASSERT_NE(range, nullptr);
  EXPECT_TRUE(range->arguments.back().text.contains("checkpoint")) << range->arguments.back().text;
}

TEST(RarePauses, EqualPausesAreNotRare) {
  PausingSteps run;
  for (int step = 0; step < 24; ++step) {
    run.step([&] {
      run.operators(20);
      run.pause(30 * kMs);
      run.operators(3);
    });
  }
  EXPECT_EQ(find(diagnose(Facts(run.build())), "rare_pauses"), nullptr);
}

}  // namespace host_pauses_test
}  // namespace sonde
