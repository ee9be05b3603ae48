#include <fmt/format.h>

#include "monitor/quality/shared_rule.h"

namespace sonde::monitor::quality {
namespace impossible_temperature {
namespace {

/// Chips shut down near 100 C and memory near 110 C; cooled below freezing a board has nothing but trouble. Broken
/// sensors give 255 and the like.
constexpr int64_t kColdest = -40;
constexpr int64_t kHottest = 140;

bool impossible(const std::optional<int64_t>& celsius) {
  return celsius && (*celsius < kColdest || *celsius > kHottest);
}

class ImpossibleTemperature : public Check {
 public:
  std::optional<Contradiction> look(const GpuSample& sample) override {
    const device::GpuReading& r = sample.reading;
    if (impossible(r.temperature_celsius)) return contradiction("GPU temperature", *r.temperature_celsius);
    if (impossible(r.memory_temperature_celsius)) {
      return contradiction("memory temperature", *r.memory_temperature_celsius);
    }
    return std::nullopt;
  }

 private:
  static Contradiction contradiction(const char* sensor, int64_t celsius) {
    return {.text = "impossible_temperature",
            .arguments = {{"sensor", sensor}, {"temperature", fmt::format("{} °C", celsius)}}};
  }
};

}  // namespace
}  // namespace impossible_temperature

extern constinit const Rule impossible_temperature_rule = {
    .name = "impossible_temperature",
    .description = "a temperature below -40 or above 140 °C",
    .make = make_check<impossible_temperature::ImpossibleTemperature>,
};

}  // namespace sonde::monitor::quality
