#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace energy_backwards {
namespace {

/// No board draws more: a smaller value means that the counter was reset.
constexpr double kMaxWatts = 5000;

class EnergyBackwards : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const auto now = sample.reading.energy_millijoules;
    if (!now) return std::nullopt;
    const auto before = before_;
    const double elapsed_s = static_cast<double>(sample.moment_ns - before_ns_) / 1e9;
    before_ = now;
    before_ns_ = sample.moment_ns;
    if (!before || *now >= *before || static_cast<double>(*now) <= kMaxWatts * 1000 * elapsed_s) return std::nullopt;
    return Contradiction{.text = "energy_backwards",
                         .arguments = {{"before", fmt::format("{:.0f} J", static_cast<double>(*before) / 1000)},
                                       {"now", fmt::format("{:.0f} J", static_cast<double>(*now) / 1000)}}};
  }

 private:
  std::optional<int64_t> before_;
  int64_t before_ns_ = 0;
};

}  // namespace
}  // namespace energy_backwards

extern constinit const Rule energy_backwards_rule = {
    .name = "energy_backwards",
    .description = "the energy counter decreased without a restart from 0",
    .make = make_check<energy_backwards::EnergyBackwards>,
};

}  // namespace sonde::monitor::quality
