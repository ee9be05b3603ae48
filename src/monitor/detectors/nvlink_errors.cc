#include <map>

#include <fmt/format.h>

#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace nvlink_errors {
namespace {

constexpr double kWindowS = 600;
/// A recovery interrupts the link and is told from the first on. Replays and CRC errors cost bandwidth only where they
/// are many: DCGM's limit for CRC errors is 100 a second, at which a link is of no use any more.
constexpr double kMaxRecoveries = 0;
constexpr double kMaxRepeats = 100;

struct KeptOfLink {
  RecentGrowth recoveries;
  RecentGrowth replays;
  RecentGrowth crc;
  Hysteresis interrupted;
  Hysteresis repeating;
};

struct Kept {
  std::map<int64_t, KeptOfLink> links;
};

Observation observation(const GpuLook& gpu, int64_t link, int64_t recoveries, int64_t replays, int64_t crc) {
  return {.gpu = gpu.sample.gpu,
          .subject = fmt::format("link {}", link),
          .severity = Severity::warning,
          .text = "nvlink_errors",
          .arguments = {{"link", std::to_string(link)},
                        {"recoveries", shown_count(recoveries, "recovery", "recoveries")},
                        {"replays", shown_count(replays, "replay", "replays")},
                        {"crc", shown_count(crc, "CRC error", "CRC errors")},
                        {"time", shown_time(kWindowS)},
                        {"index", std::to_string(gpu.sample.gpu)}}};
}

void look_at_link(const GpuLook& gpu, const device::NvLinkReading& link, KeptOfLink& kept,
                  std::vector<Observation>& found) {
  const int64_t now_ns = gpu.round.moment_ns;
  const bool read = gpu.reading != nullptr;
  const int64_t recoveries = kept.recoveries.take(read ? link.recovery_errors : std::nullopt, kWindowS, now_ns);
  const int64_t replays = kept.replays.take(read ? link.replay_errors : std::nullopt, kWindowS, now_ns);
  const int64_t crc = kept.crc.take(read ? link.crc_errors : std::nullopt, kWindowS, now_ns);
  const bool interrupted = kept.interrupted.take(static_cast<double>(recoveries), {kMaxRecoveries, 0, 0, 0}, now_ns);
  const bool repeating =
      kept.repeating.take(static_cast<double>(replays + crc), {kMaxRepeats, kMaxRepeats / 10, 0, 0}, now_ns);
  if (interrupted || repeating) found.push_back(observation(gpu, link.link, recoveries, replays, crc));
}

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  if (!gpu.sample.reading.nvlinks) return;
  for (const device::NvLinkReading& link : *gpu.sample.reading.nvlinks) {
    look_at_link(gpu, link, kept.links[link.link], found);
  }
}

}  // namespace
}  // namespace nvlink_errors

extern constinit const DetectorRow nvlink_errors_detector = {
    .name = "nvlink_errors",
    .description =
        "within 10 min an NVLink recovered from an error, or had more than 100 replays and CRC errors. One incident "
        "per link",
    .clear_after_s = 60,
    .make = each_gpu<nvlink_errors::Kept, nvlink_errors::look>,
    .severity = "warning",
    .clears = "no recovery and at most 10 other errors within 10 min, for 1 min",
};

}  // namespace sonde::monitor
