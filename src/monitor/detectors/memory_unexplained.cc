#include "monitor/anomalies/baseline.h"
#include "monitor/anomalies/each_minute.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace memory_unexplained {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
/// Driver, contexts and the MPS server take some hundred MiB beside what processes are told to hold; drivers that do
/// not tell reserved memory apart, up to 1 GiB more.
constexpr SustainedLimits kLimits = {.on = 2 * kGiB, .off = 1 * kGiB, .minutes = 10};

struct Kept {
  Sustained unexplained;
};

void look(const HostMinute& host, std::span<Kept> kept, std::vector<Observation>& found) {
  for (size_t i = 0; i < kept.size(); ++i) {
    const std::optional<Minute>& minute = host.gpus[i];
    // Who has never seen a process (a container of its own PID namespace) would take all memory for unexplained.
    if (minute && minute->unexplained_bytes && minute->sees_processes) {
      kept[i].unexplained.take(*minute->unexplained_bytes, kLimits);
    }
    if (!kept[i].unexplained.on()) continue;
    found.push_back({.gpu = i,
                     .text = "memory_unexplained",
                     .arguments = {{"memory", shown_gib(kept[i].unexplained.deviation())}}});
  }
}

}  // namespace
}  // namespace memory_unexplained

extern const DetectorRow memory_unexplained_detector;
constinit const DetectorRow memory_unexplained_detector = {
    .name = "memory_unexplained",
    .description = "2 GiB of memory in use belong to no process of the GPU",
    .clear_after_s = 60,
    .make = each_minute<memory_unexplained::Kept, memory_unexplained::look>,
    .severity = "warning",
    .clears = "less than 1 GiB for 10 minutes",
};

}  // namespace sonde::monitor
