#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "findings/evidence/redundant_syncs.h"
#include "findings/rule.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace redundant_sync_test {

constexpr int64_t kUs = 1000;

/// One thread with two streams of a GPU, and another thread.
class Waiting {
 public:
  Waiting() : thread_(builder_.thread(1, 1)), other_(builder_.thread(1, 2)) {
    for (StreamId& stream : streams_) stream = builder_.stream(1);
    launch(0);
    launch(1);
    launch_elsewhere();
  }

  void launch(size_t stream) { put(thread_, streams_[stream]); }
  void launch_elsewhere() { put(other_, streams_[1]); }
  void launch_on_another_gpu() { put(thread_, builder_.stream(1, 1)); }
  void call(std::string_view name, int64_t duration = 20 * kUs) {
    builder_.call(thread_, now_, now_ + duration, name);
    now_ += duration + kUs;
  }
  void step(int64_t start) { builder_.push_pop(thread_, start, now_, "step"); }
  [[nodiscard]] int64_t now() const { return now_; }
  [[nodiscard]] Trace build() { return builder_.build(); }

 private:
  void put(ThreadId thread, StreamId stream) {
    builder_.kernel(stream, now_ + 6 * kUs, now_ + 16 * kUs, "gemm", builder_.call(thread, now_, now_ + 5 * kUs));
    now_ += 20 * kUs;
  }
  TraceBuilder builder_;
  ThreadId thread_;
  ThreadId other_;
  std::array<StreamId, 2> streams_{};
  int64_t now_ = 0;
};

/// Ends the run with GPU work: time after the last is not judged.
size_t redundant(Waiting& run) {
  run.launch(0);
  const Trace trace = run.build();
  return redundant_syncs(Facts(trace)).rows.size();
}

TEST(RedundantSync, WhatTheWaitForTheDeviceCoveredIsNotWaitedForAgain) {
  Waiting run;
  run.call("cudaDeviceSynchronize_v3020");
  run.call("cudaDeviceSynchronize_v3020");
  run.call("cudaEventSynchronize_v3020");
  run.call("cudaEventRecord_v3020");
  run.call("cudaStreamSynchronize_v3020");
  EXPECT_EQ(redundant(run), 3U);
}

TEST(RedundantSync, TheFirstWaitOfARecordingIsNeeded) {
  Waiting run;
  run.call("cudaDeviceSynchronize_v3020");
  EXPECT_EQ(redundant(run), 0U);
}

TEST(RedundantSync, LaunchesBetweenMakeAWaitNeeded) {
  Waiting run;
  run.call("cudaDeviceSynchronize_v3020");
  run.launch(0);
  run.call("cudaDeviceSynchronize_v3020");
  run.launch_elsewhere();
  run.call("cudaDeviceSynchronize_v3020");
  run.call("cudaLaunchHostFunc_v10000");
  run.call("cudaDeviceSynchronize_v3020");
  EXPECT_EQ(redundant(run), 0U);
}

TEST(RedundantSync, AWaitForAnEventCoversNothing) {
  Waiting run;
  run.call("cudaEventSynchronize_v3020");
  run.call("cudaDeviceSynchronize_v3020");
  EXPECT_EQ(redundant(run), 0U);
}

TEST(RedundantSync, IsNotSureOfWaitsForADeviceAmongSeveral) {
  Waiting run;
  run.launch_on_another_gpu();
  run.call("cudaDeviceSynchronize_v3020");
  run.call("cudaDeviceSynchronize_v3020");
  run.launch(0);
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_NE(std::ranges::find(diagnosis.abstentions, "redundant_sync.several_gpus", &Abstention::id),
            diagnosis.abstentions.end());
  EXPECT_EQ(std::ranges::find(diagnosis.findings, "redundant_sync", &Finding::id), diagnosis.findings.end());
}

TEST(RedundantSync, CeilingIsTheTimeOfTheCallsAtTheEndOfEachStep) {
  Waiting run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start = run.now();
    for (int k = 0; k < 10; ++k) run.launch(0);
    for (int k = 0; k < 5; ++k) run.call("cudaDeviceSynchronize_v3020");
    run.step(start);
  }
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  const auto finding = std::ranges::find(diagnosis.findings, "redundant_sync", &Finding::id);
  ASSERT_NE(finding, diagnosis.findings.end());
  EXPECT_EQ(finding->ceiling_ns, 10 * 4 * 20 * kUs);
}

TEST(RedundantSync, LeavesWaitsWithinAStepToSyncInLoop) {
  Waiting run;
  for (int i = 0; i < 10; ++i) {
    const int64_t start = run.now();
    for (int k = 0; k < 5; ++k) run.call("cudaDeviceSynchronize_v3020");
    for (int k = 0; k < 10; ++k) run.launch(0);
    run.step(start);
  }
  const Trace trace = run.build();
  const Diagnosis diagnosis = diagnose(Facts(trace));
  EXPECT_EQ(std::ranges::find(diagnosis.findings, "redundant_sync", &Finding::id), diagnosis.findings.end());
  EXPECT_NE(std::ranges::find(diagnosis.findings, "sync_in_loop", &Finding::id), diagnosis.findings.end());
}

}  // namespace redundant_sync_test
}  // namespace sonde
