#include "findings/evidence/host_link.h"

#include <algorithm>

namespace sonde {

std::optional<double> usual_bytes_per_second(const Facts& facts) {
  std::optional<double> slowest;
  for (const Gpu& gpu : facts.gpus.gpus) {
    const auto major = gpu.device == kNone ? std::nullopt : facts.trace.devices[gpu.device].compute_major;
    if (!major) return std::nullopt;
    const double of_gpu = *major >= 9 ? 48e9 : *major == 8 ? 24e9 : 12e9;
    slowest = std::min(slowest.value_or(of_gpu), of_gpu);
  }
  return slowest;
}

}  // namespace sonde
