#pragma once

#include <string>
#include <vector>

#include "monitor/waste.h"

namespace sonde::monitor {

/// A GPU below this is idle, as job dashboards have it (`GPU_UTIL < 5`); its 1 % is a probe or a display.
inline constexpr int64_t kIdleUtilizationPercent = 5;
/// Idle time counts, from its beginning, once it has lasted this long: a job that loads, compiles or checkpoints holds
/// an idle GPU for minutes. Job dashboards wait as long.
inline constexpr int64_t kHeldGraceNs = 600'000'000'000;
/// Processes and memory are not read at one moment, and a process that ends gives its memory back over seconds.
inline constexpr int64_t kDeadGraceNs = 120'000'000'000;
/// Memory below this is nobody's: `FB_USED > 100` in those dashboards. A CUDA context alone takes more.
inline constexpr int64_t kHeldBytes = 100LL << 20;
/// What driver and contexts take beside what processes are told to hold. Drivers before 510 count their reserved
/// memory (479 MiB of an H100) as used.
inline constexpr int64_t kDriverBytes = 512LL << 20;
inline constexpr int64_t kReservedBytes = 1024LL
                                          << 20;  ///< larger, for drivers that do not report reserved memory separately
inline constexpr int64_t kContextBytes = 128LL << 20;  ///< more, per living process

/// How a GPU is wasted at one moment.
struct WasteShare {
  WasteKind kind = WasteKind::held_idle;
  std::string user;
  std::string container;
  double hours = 0;   ///< share of the GPU's time, 0..1
  double energy = 0;  ///< share of its power
};
struct Wasted {
  std::vector<WasteShare> shares;
  double watts = 0;  ///< 0 if the GPU does not report it
};
[[nodiscard]] Wasted wasted_now(const GpuSample& sample, const std::vector<OwnedProcess>& processes,
                                bool sees_processes);

}  // namespace sonde::monitor
