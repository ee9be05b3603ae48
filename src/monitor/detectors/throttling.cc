#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace throttling {
namespace {

constexpr int64_t kHwSlowdown = 0x8;
constexpr int64_t kHwThermal = 0x40;
constexpr int64_t kPowerBrake = 0x80;

/// A reason for which clocks are held down. Not among them: 0x1 (idle), 0x2 (application clocks are set) and 0x100
/// (display), which are no throttling.
struct Reason {
  std::string_view name;
  int64_t bit = 0;
  std::optional<int64_t> device::GpuReading::* counter_ns = nullptr;
  Severity severity = Severity::warning;
  double share = 0.05;  ///< share of the time above which it is reported
};

/// Shares: what the hardware or heat does costs from its first seconds on. At the power limit a GPU under full load is
/// most of the time, and that is as it should be.
constexpr auto kReasons = std::to_array<Reason>({
    {"hw_thermal_slowdown", kHwThermal, &device::GpuReading::hw_thermal_slowdown_ns, Severity::critical},
    {"hw_power_brake", kPowerBrake, &device::GpuReading::hw_power_brake_ns, Severity::critical},
    {"sw_thermal_slowdown", 0x20, &device::GpuReading::sw_thermal_slowdown_ns, Severity::warning},
    {"hw_slowdown", kHwSlowdown, nullptr, Severity::warning},
    {"sync_boost", 0x10, &device::GpuReading::sync_boost_ns, Severity::info, 0.5},
    {"sw_power_cap", 0x4, &device::GpuReading::sw_power_cap_ns, Severity::info, 0.5},
});

constexpr double kWindowS = 60;
/// One round with a bit set tells of a moment only.
constexpr int64_t kRoundsOfBits = 3;
constexpr double kOffAfterS = 60;

struct KeptOfReason {
  Hysteresis on;
  RecentGrowth held_ns;
  int64_t rounds = 0;  ///< in a row with the bit set
  int64_t bit_ns = 0;  ///< made of bits where there is no counter
  double share = 0;
};

struct Kept {
  std::array<KeptOfReason, kReasons.size()> reasons;
  std::optional<int64_t> first_ns;
  std::optional<int64_t> last_ns;
};

bool bit_is_set(const Reason& reason, int64_t bits) {
  // The hardware's own two reasons set this one too.
  if (reason.bit == kHwSlowdown && (bits & (kHwThermal | kPowerBrake)) != 0) return false;
  return (bits & reason.bit) != 0;
}

/// Time held down so far, by the counter or else by the bits, each of which stands for the time since the round before.
std::optional<int64_t> held_ns(const Reason& reason, const device::GpuReading& reading, int64_t passed_ns,
                               KeptOfReason& kept) {
  if (reason.counter_ns != nullptr && reading.*reason.counter_ns) return reading.*reason.counter_ns;
  if (!reading.clocks_event_reasons) return std::nullopt;
  const bool set = bit_is_set(reason, *reading.clocks_event_reasons);
  kept.rounds = set ? kept.rounds + 1 : 0;
  kept.bit_ns += set ? passed_ns : 0;
  // The first rounds count once there are enough of them.
  if (set && kept.rounds < kRoundsOfBits) return std::nullopt;
  return kept.bit_ns;
}

/// With long intervals a minute would hold one round.
double window_s(const Round& round) {
  return std::max(kWindowS, 2 * kRoundsOfBits * round.config->gpu.monitoring.interval);
}

void judge(const GpuLook& gpu, const Reason& reason, const Kept& kept, int64_t passed_ns, KeptOfReason& of_reason) {
  const double window = window_s(gpu.round);
  const auto held = gpu.reading == nullptr ? std::nullopt : held_ns(reason, *gpu.reading, passed_ns, of_reason);
  const int64_t recent_ns = of_reason.held_ns.take(held, window, gpu.round.moment_ns);
  const double watched_s = static_cast<double>(gpu.round.moment_ns - *kept.first_ns) / 1e9;
  std::optional<double> share;
  if (gpu.reading != nullptr && watched_s >= kWindowS / 3) {
    share = std::min(1.0, static_cast<double>(recent_ns) / 1e9 / std::min(window, watched_s));
    of_reason.share = *share;
  }
  of_reason.on.take(share, {reason.share, reason.share / 5, 0, kOffAfterS}, gpu.round.moment_ns);
}

Observation observation(const GpuLook& gpu, const Reason& reason, double share) {
  const device::GpuReading& reading = gpu.sample.reading;
  const auto clock = [](const std::optional<int64_t>& mhz) { return mhz ? fmt::format("{} MHz", *mhz) : "-"; };
  return {.gpu = gpu.sample.gpu,
          .subject = std::string(reason.name),
          .severity = reason.severity,
          .text = fmt::format("throttling_{}", reason.name),
          .arguments = {{"share", shown_percent(100 * share)},
                        {"clock", clock(reading.sm_clock_mhz)},
                        {"max_clock", clock(reading.max_sm_clock_mhz)},
                        {"index", std::to_string(gpu.sample.gpu)}}};
}

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const int64_t now_ns = gpu.round.moment_ns;
  kept.first_ns = std::min(kept.first_ns.value_or(now_ns), now_ns);  // clocks are set back
  const int64_t passed_ns = std::max<int64_t>(0, now_ns - kept.last_ns.value_or(now_ns));
  kept.last_ns = now_ns;
  for (size_t i = 0; i < kReasons.size(); ++i) {
    judge(gpu, kReasons[i], kept, passed_ns, kept.reasons[i]);
    if (kept.reasons[i].on.on()) found.push_back(observation(gpu, kReasons[i], kept.reasons[i].share));
  }
}

}  // namespace
}  // namespace throttling

extern constinit const DetectorRow throttling_detector = {
    .name = "throttling",
    .description =
        "the clocks are throttled: thermally or by hardware for 5 % of the last minute, by the power cap or sync boost "
        "for 50 %; measured by the driver's time counters, or else by its clocks event reasons in three consecutive "
        "rounds. One incident per reason",
    .clear_after_s = 30,
    .make = each_gpu<throttling::Kept, throttling::look>,
    .severity =
        "hw_thermal_slowdown, hw_power_brake: critical; sw_thermal_slowdown, hw_slowdown: warning; sync_boost, "
        "sw_power_cap: info",
    .clears = "below a fifth of that share for 90 s",
};

}  // namespace sonde::monitor
