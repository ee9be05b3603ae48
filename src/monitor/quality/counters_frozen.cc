#include <tuple>

#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace counters_frozen {
namespace {

/// The energy counter of a GPU at work grows several times a second; a driver that is busy may give old values for some
/// seconds.
constexpr int64_t kSamples = 10;
constexpr int64_t kTimeNs = 30'000'000'000;

class CountersFrozen : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const device::GpuReading& r = sample.reading;
    if (!r.energy_millijoules || r.gpu_utilization_percent.value_or(0) == 0) {
      streak_ = {};
      return std::nullopt;
    }
    const Seen seen{*r.energy_millijoules, r.power_draw_milliwatts, r.power_instant_milliwatts, r.sm_clock_mhz,
                    r.sw_power_cap_ns};
    const bool same = seen == seen_;
    seen_ = seen;
    if (!streak_.take(same, sample.moment_ns, kSamples, kTimeNs)) return std::nullopt;
    const double frozen_s = static_cast<double>(sample.moment_ns - streak_.since_ns) / 1e9;
    return Contradiction{.text = "counters_frozen",
                         .arguments = {{"use", fmt::format("{} %", *r.gpu_utilization_percent)},
                                       {"time", fmt::format("{:.0f} s", frozen_s)}}};
  }

 private:
  using Value = std::optional<int64_t>;
  using Seen = std::tuple<Value, Value, Value, Value, Value>;
  Seen seen_;
  Streak streak_;
};

}  // namespace
}  // namespace counters_frozen

extern constinit const Rule counters_frozen_rule = {
    .name = "counters_frozen",
    .description = "energy, power, clock and counters unchanged for 30 s while the GPU is in use",
    .make = make_check<counters_frozen::CountersFrozen>,
};

}  // namespace sonde::monitor::quality
