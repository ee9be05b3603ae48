#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace busy_at_idle_power {
namespace {

constexpr int64_t kBusyPercent = 90;
/// Power is a mean over a second and utilization one over up to a second: both are late when work begins or ends.
constexpr int64_t kSamples = 3;
constexpr int64_t kTimeNs = 3'000'000'000;
/// Idle power is learned from samples without use: the low twentieth of the last ones, since a context that is open or
/// heat raise others. Sensors err by some 5 % (NVML: +/- 5 W), so a tenth and 2 W are added.
constexpr size_t kLearned = 256;
constexpr size_t kMinLearned = 5;
constexpr double kLowShare = 0.05;
constexpr double kMargin = 1.1;
constexpr int64_t kMarginMilliwatts = 2000;
/// Until it is learned: idle boards draw 5 % (RTX 4090) to 14 % (A100) of their limit.
constexpr double kShareOfLimit = 0.15;
/// Idle clocks are a quarter of the highest or less (345 of 1980 MHz on an H100); spinning kernels run at full clocks.
constexpr double kIdleClockShare = 0.5;
/// Slowdowns by heat, power brake or hardware lower clocks and power of work that is real.
constexpr int64_t kSlowdowns = 0x8 | 0x20 | 0x40 | 0x80;

class BusyAtIdlePower : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const device::GpuReading& r = sample.reading;
    if (!r.gpu_utilization_percent || !r.power_draw_milliwatts) return std::nullopt;
    if (*r.gpu_utilization_percent == 0) learn(*r.power_draw_milliwatts);
    const bool holds = *r.gpu_utilization_percent >= kBusyPercent && at_idle_clock(r) && at_idle_power(r);
    if (!streak_.take(holds, sample.moment_ns, kSamples, kTimeNs)) return std::nullopt;
    return Contradiction{
        .text = "busy_at_idle_power",
        .arguments = {{"use", fmt::format("{} %", *r.gpu_utilization_percent)},
                      {"power", fmt::format("{:.0f} W", static_cast<double>(*r.power_draw_milliwatts) / 1000)},
                      {"clock", fmt::format("{} MHz", r.sm_clock_mhz.value_or(0))}}};
  }

 private:
  void learn(int64_t milliwatts) {
    idle_.push_back(milliwatts);
    if (idle_.size() > kLearned) idle_.pop_front();
  }

  [[nodiscard]] bool at_idle_power(const device::GpuReading& r) const {
    const auto power = static_cast<double>(*r.power_draw_milliwatts);
    if (idle_.size() >= kMinLearned) {
      std::deque<int64_t> sorted = idle_;
      const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size()) * kLowShare);
      std::ranges::nth_element(sorted, low);
      return power <= static_cast<double>(*low) * kMargin + static_cast<double>(kMarginMilliwatts);
    }
    const auto limit = r.power_default_limit_milliwatts ? r.power_default_limit_milliwatts : r.power_limit_milliwatts;
    return limit && power <= static_cast<double>(*limit) * kShareOfLimit;
  }

  static bool at_idle_clock(const device::GpuReading& r) {
    if ((r.clocks_event_reasons.value_or(0) & kSlowdowns) != 0) return false;
    if (!r.sm_clock_mhz || !r.max_sm_clock_mhz) return false;
    return static_cast<double>(*r.sm_clock_mhz) <= static_cast<double>(*r.max_sm_clock_mhz) * kIdleClockShare;
  }

  std::deque<int64_t> idle_;  ///< milliwatts of samples without use
  Streak streak_;
};

}  // namespace
}  // namespace busy_at_idle_power

extern constinit const Rule busy_at_idle_power_rule = {
    .name = "busy_at_idle_power",
    .description = "90 % utilization or more over 3 samples at the GPU's idle power and idle clocks",
    .make = make_check<busy_at_idle_power::BusyAtIdlePower>,
};

}  // namespace sonde::monitor::quality
