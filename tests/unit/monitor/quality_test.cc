#include <functional>

#include <gtest/gtest.h>

#include "monitor/monitor_parts.h"
#include "monitor/quality/shared_marker.h"

namespace sonde::monitor {
namespace quality_test {

using device::GpuReading;

/// A GPU at work that says nothing wrong, second by second.
class Marked : public ::testing::Test {
 protected:
  Marked() {
    reading_.gpu_utilization_percent = 0;
    reading_.power_draw_milliwatts = 70'000;
    reading_.power_default_limit_milliwatts = 700'000;
    reading_.sm_clock_mhz = 345;
    reading_.max_sm_clock_mhz = 1980;
    reading_.clocks_event_reasons = 1;
    reading_.temperature_celsius = 40;
    reading_.energy_millijoules = 1'000'000'000;
    reading_.memory_total_bytes = 80LL << 30;
    reading_.memory_used_bytes = 0;
    reading_.memory_free_bytes = 80LL << 30;
  }

  QualityMark after(int seconds, const std::function<void(GpuReading&)>& change = nullptr, bool energy_grows = true) {
    QualityMark mark;
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kSecond;
      if (energy_grows) *reading_.energy_millijoules += *reading_.power_draw_milliwatts;
      if (change) change(reading_);
      GpuSample sample;
      sample.moment_ns = now_ns_;
      sample.reading = reading_;
      mark = marker_.mark(sample, true, now_ns_, kSecond);
    }
    return mark;
  }

  static void busy(GpuReading& r) {
    r.gpu_utilization_percent = 100;
    r.power_draw_milliwatts = 600'000;
    r.sm_clock_mhz = 1900;
    r.clocks_event_reasons = 0;
  }

  GpuReading reading_;
  quality::Marker marker_;
  int64_t now_ns_ = kStart;
};

TEST_F(Marked, WorkAndIdlenessAreFresh) {
  EXPECT_EQ(after(100).quality, Quality::fresh);
  EXPECT_EQ(after(100, busy).quality, Quality::fresh);
  EXPECT_EQ(after(1).reason, "");
}

TEST_F(Marked, FullUseAtIdlePowerIsSaid) {
  after(20);
  const auto idle_but_busy = [](GpuReading& r) { r.gpu_utilization_percent = 100; };
  EXPECT_EQ(after(3, idle_but_busy).quality, Quality::fresh) << "work may have just ended";
  const QualityMark mark = after(1, idle_but_busy);
  EXPECT_EQ(mark.quality, Quality::contradictory);
  EXPECT_NE(mark.reason.find("100 % while the GPU draws 70 W at 345 MHz"), std::string::npos) << mark.reason;
  EXPECT_EQ(after(1, busy).quality, Quality::fresh);
}

TEST_F(Marked, IdlePowerIsLearnedOfTheGpuItself) {
  // A board that idles at 130 of 700 W: 18 %, above the share that holds without learning.
  reading_.power_draw_milliwatts = 130'000;
  EXPECT_EQ(after(10, [](GpuReading& r) { r.gpu_utilization_percent = 100; }).quality, Quality::fresh);
  after(20, [](GpuReading& r) { r.gpu_utilization_percent = 0; });
  EXPECT_EQ(after(10, [](GpuReading& r) { r.gpu_utilization_percent = 100; }).quality, Quality::contradictory);
}

TEST_F(Marked, SpinningAtFullClocksOrSlowedDownIsNoContradiction) {
  after(20);
  // A kernel that waits for others draws little, at full clocks: it does run.
  EXPECT_EQ(after(10,
                  [](GpuReading& r) {
                    r.gpu_utilization_percent = 100;
                    r.sm_clock_mhz = 1980;
                  })
                .quality,
            Quality::fresh);
  EXPECT_EQ(after(10,
                  [](GpuReading& r) {
                    r.gpu_utilization_percent = 100;
                    r.sm_clock_mhz = 345;
                    r.clocks_event_reasons = 0x8 | 0x80;
                  })
                .quality,
            Quality::fresh);
}

TEST_F(Marked, MoreMemoryThanThereIsIsSaid) {
  const QualityMark mark = after(1, [](GpuReading& r) { r.memory_used_bytes = 1LL << 30; });
  EXPECT_EQ(mark.quality, Quality::contradictory);
  EXPECT_NE(mark.reason.find("82944 MiB, more than the 81920 MiB"), std::string::npos) << mark.reason;
  EXPECT_EQ(after(1, [](GpuReading& r) { r.memory_free_bytes.reset(); }).quality, Quality::fresh);
}

TEST_F(Marked, FalseZerosOfCountersAreSaid) {
  const auto zeros = [](GpuReading& r) {
    busy(r);
    r.gpm_graphics_percent = r.gpm_sm_percent = r.gpm_dram_percent = 0;
  };
  EXPECT_EQ(after(2, zeros).quality, Quality::fresh);
  EXPECT_EQ(after(1, zeros).quality, Quality::contradictory);
  EXPECT_EQ(after(1, [](GpuReading& r) { r.gpm_sm_percent = 0.5; }).quality, Quality::fresh);
  EXPECT_EQ(after(5, [](GpuReading& r) { r.gpm_sm_percent.reset(); }).quality, Quality::fresh) << "absent is not zero";
}

TEST_F(Marked, EnergyThatGoesBackIsSaidUnlessItBeganAnew) {
  after(10);
  EXPECT_EQ(after(1, [](GpuReading& r) { *r.energy_millijoules -= 500'000'000; }).quality, Quality::contradictory);
  EXPECT_EQ(after(1).quality, Quality::fresh);
  EXPECT_EQ(after(1, [](GpuReading& r) { r.energy_millijoules = 60'000; }).quality, Quality::fresh) << "a reset";
}

TEST_F(Marked, ImpossibleTemperaturesAreSaid) {
  EXPECT_EQ(after(1, [](GpuReading& r) { r.temperature_celsius = 255; }).quality, Quality::contradictory);
  EXPECT_EQ(after(1, [](GpuReading& r) { r.temperature_celsius = 95; }).quality, Quality::fresh);
  EXPECT_EQ(after(1, [](GpuReading& r) { r.memory_temperature_celsius = -128; }).quality, Quality::contradictory);
}

TEST_F(Marked, CountersThatStandStillUnderWorkAreSaid) {
  EXPECT_EQ(after(60, nullptr, false).quality, Quality::fresh) << "nothing runs";
  EXPECT_EQ(after(31, busy, false).quality, Quality::fresh);
  const QualityMark mark = after(2, busy, false);
  EXPECT_EQ(mark.quality, Quality::contradictory);
  EXPECT_NE(mark.reason.find("stood still for"), std::string::npos) << mark.reason;
  EXPECT_EQ(after(1, busy).quality, Quality::fresh);
}

TEST_F(Marked, OldAndLostSamplesAreStaleAndAbsent) {
  GpuSample sample;
  EXPECT_EQ(marker_.mark(sample, false, now_ns_, kSecond).quality, Quality::absent);
  sample.failure = device::GpuFailure{.kind = device::FailureKind::not_answering, .message = "it hangs"};
  EXPECT_NE(marker_.mark(sample, false, now_ns_, kSecond).reason.find("it hangs"), std::string::npos);
  sample.moment_ns = now_ns_;
  EXPECT_EQ(marker_.mark(sample, false, now_ns_ + 5 * kSecond, kSecond).quality, Quality::fresh);
  const QualityMark stale = marker_.mark(sample, false, now_ns_ + 6 * kSecond, kSecond);
  EXPECT_EQ(stale.quality, Quality::stale);
  EXPECT_EQ(stale.reason, "the last values are 6 s old: it hangs");
  EXPECT_EQ(marker_.mark(sample, false, now_ns_ + 20 * kSecond, 10 * kSecond).quality, Quality::fresh);
  EXPECT_EQ(marker_.mark(sample, false, now_ns_ + 21 * kSecond, 10 * kSecond).quality, Quality::stale);
  sample.failure->kind = device::FailureKind::lost;
  EXPECT_EQ(marker_.mark(sample, false, now_ns_, kSecond).quality, Quality::absent);
}

}  // namespace quality_test
}  // namespace sonde::monitor
