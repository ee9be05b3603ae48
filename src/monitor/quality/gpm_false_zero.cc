#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace gpm_false_zero {
namespace {

constexpr int64_t kBusyPercent = 50;
/// Counters are means since the sample before: a kernel that ends between two of them can make one zero.
constexpr int64_t kSamples = 3;

bool all_zero(const device::GpuReading& r) {
  return r.gpm_graphics_percent == 0.0 && r.gpm_sm_percent == 0.0 && r.gpm_dram_percent.value_or(0) == 0.0;
}

class GpmFalseZero : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const device::GpuReading& r = sample.reading;
    const bool holds = r.gpu_utilization_percent.value_or(0) >= kBusyPercent && all_zero(r);
    if (!streak_.take(holds, sample.moment_ns, kSamples, 0)) return std::nullopt;
    return Contradiction{.text = "gpm_false_zero",
                         .arguments = {{"use", fmt::format("{} %", *r.gpu_utilization_percent)}}};
  }

 private:
  Streak streak_;
};

}  // namespace
}  // namespace gpm_false_zero

extern constinit const Rule gpm_false_zero_rule = {
    .name = "gpm_false_zero",
    .description = "hardware counters are 0 in 3 samples in which utilization is 50 % or more",
    .make = make_check<gpm_false_zero::GpmFalseZero>,
};

}  // namespace sonde::monitor::quality
