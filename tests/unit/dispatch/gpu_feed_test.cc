#include "dispatch/gpu_feed/feed.h"

#include <gtest/gtest.h>

#include "dispatch/dispatcher_fakes.h"
#include "monitor/monitor_parts.h"

namespace sonde::dispatch {
namespace gpu_feed_test {

using monitor::kSecond;
using monitor::kStart;

constexpr int64_t kGiB = 1LL << 30;

class GpuFeedTest : public ::testing::Test {
 protected:
  GpuFeedTest() {
    monitor_.add_gpu(kStart);
    monitor_.add_gpu(kStart);
    task_.id = 1;
    Attempt attempt;
    attempt.gpus = {"GPU-0"};
    attempt.reserved_bytes = 10 * kGiB;
    task_.attempts.push_back(attempt);
  }
  device::GpuReading& reading(size_t gpu) { return monitor_.host->gpus[gpu].sample.reading; }
  void hold(size_t gpu, int64_t pid, std::optional<int64_t> bytes) {
    device::GpuProcess process;
    process.pid = pid;
    process.memory_used_bytes = bytes;
    reading(gpu).running->push_back(process);
    *reading(gpu).memory_used_bytes += bytes.value_or(0);
  }
  Feed take() {
    const Task* running = &task_;
    return feed_.take(*monitor_.host, std::span(&running, runs_ ? 1 : 0));
  }

  FakeMonitor monitor_;
  Task task_;
  bool runs_ = true;
  std::map<int64_t, GpuFeed::Attempted> pids_;
  GpuFeed feed_{[this](int64_t pid) {
    const auto at = pids_.find(pid);
    return at == pids_.end() ? std::optional<GpuFeed::Attempted>() : at->second;
  }};
};

TEST_F(GpuFeedTest, TakesWhatTheSampleSays) {
  reading(0).gpu_utilization_percent = 57;
  const Feed feed = take();
  ASSERT_EQ(feed.gpus.size(), 2U);
  EXPECT_EQ(feed.gpus[0].memory_total_bytes, 80 * kGiB) << "without what the driver keeps";
  EXPECT_EQ(feed.gpus[0].utilization, 0.57) << "divided, so that it is exact";
  EXPECT_EQ(feed.gpus[0].temperature_celsius, 40);
  EXPECT_EQ(feed.gpus[0].foreign_bytes, 0);
  EXPECT_EQ(feed.gpus[0].trouble, "");
}

TEST_F(GpuFeedTest, MemoryOfOthersIsForeign) {
  pids_[10] = {1, 1};
  hold(0, 10, 4 * kGiB);
  hold(0, 11, 2 * kGiB);
  const Feed feed = take();
  EXPECT_EQ(feed.gpus[0].memory_used_bytes, 6 * kGiB);
  EXPECT_EQ(feed.gpus[0].foreign_bytes, 2 * kGiB);
  ASSERT_EQ(feed.held.size(), 1U);
  EXPECT_EQ(feed.held[0].bytes, 4 * kGiB);
  EXPECT_EQ(feed.held[0].gpu_uuid, "GPU-0");
}

TEST_F(GpuFeedTest, ATasksProcessesAddUp) {
  pids_[10] = pids_[11] = {1, 1};
  hold(0, 10, 4 * kGiB);
  hold(0, 11, 2 * kGiB);
  const Feed feed = take();
  ASSERT_EQ(feed.held.size(), 1U);
  EXPECT_EQ(feed.held[0].bytes, 6 * kGiB);
}

TEST_F(GpuFeedTest, OnAGpuThatItWasNotGivenATaskIsForeign) {
  pids_[10] = {1, 1};
  hold(1, 10, 4 * kGiB);
  const Feed feed = take();
  EXPECT_EQ(feed.gpus[1].foreign_bytes, 4 * kGiB);
  EXPECT_TRUE(feed.held.empty());
}

TEST_F(GpuFeedTest, WhatATaskHeldThatEndedSinceIsNobodysElse) {
  pids_[10] = {1, 1};
  hold(0, 10, 4 * kGiB);
  (void)take();
  pids_.clear();
  runs_ = false;
  feed_.ended(1, 1, kStart + kSecond);
  const Feed same_sample = take();
  EXPECT_EQ(same_sample.gpus[0].foreign_bytes, 0);
  EXPECT_TRUE(same_sample.held.empty());
  monitor_.host->gpus[0].sample.moment_ns = kStart + 2 * kSecond;
  EXPECT_EQ(take().gpus[0].foreign_bytes, 4 * kGiB) << "after its end it should hold nothing";
}

TEST_F(GpuFeedTest, WhereTheGpuDoesNotSayWhoHoldsWhatReservationsCount) {
  pids_[10] = {1, 1};
  hold(0, 10, std::nullopt);
  *reading(0).memory_used_bytes += 12 * kGiB;
  EXPECT_EQ(take().gpus[0].foreign_bytes, 2 * kGiB);
  reading(0).running.reset();
  EXPECT_EQ(take().gpus[0].foreign_bytes, 2 * kGiB);
  reading(0).memory_used_bytes.reset();
  EXPECT_EQ(take().gpus[0].foreign_bytes, std::nullopt);
}

TEST_F(GpuFeedTest, TroubleSaysWhyNothingMayStart) {
  monitor::GpuView& gpu = monitor_.host->gpus[0];
  gpu.sample.failure = device::GpuFailure{.kind = device::FailureKind::lost, .message = "it has fallen off the bus"};
  EXPECT_EQ(gpu_trouble(gpu, *monitor_.host), "it has fallen off the bus");
  gpu.sample.failure.reset();
  gpu.sample.mark = {.quality = monitor::Quality::stale, .reason = "its last answer is 30 s old"};
  EXPECT_EQ(gpu_trouble(gpu, *monitor_.host), "its last answer is 30 s old");
  gpu.sample.mark = {};
  monitor::Incident incident;
  incident.id = 4;
  incident.detector = "xid";
  incident.summary = "XID 79";
  incident.gpu_uuid = gpu.uuid;
  incident.severity = monitor::Severity::warning;
  monitor_.host->open.push_back(incident);
  EXPECT_EQ(gpu_trouble(gpu, *monitor_.host), "");
  monitor_.host->open[0].severity = monitor::Severity::critical;
  EXPECT_EQ(gpu_trouble(gpu, *monitor_.host), "incident 4 (xid) is open: XID 79");
  EXPECT_EQ(gpu_trouble(monitor_.host->gpus[1], *monitor_.host), "");
  monitor_.host->gpus[1].sample.moment_ns = 0;
  EXPECT_EQ(gpu_trouble(monitor_.host->gpus[1], *monitor_.host), "the GPU has not been sampled yet");
}

}  // namespace gpu_feed_test
}  // namespace sonde::dispatch
