#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace memory_threshold {
namespace {

std::optional<double> used_share(const GpuState& gpu) {
  if (!gpu.memory_used_bytes || gpu.memory_total_bytes.value_or(0) <= 0) return std::nullopt;
  return static_cast<double>(*gpu.memory_used_bytes) / static_cast<double>(*gpu.memory_total_bytes);
}

bool refuses(const Candidate& candidate) {
  const std::optional<double> share = used_share(candidate.gpu);
  return share && *share > candidate.config.gpu.memory_threshold;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("memory_threshold", {{"used", shown_share(*used_share(candidate.gpu))},
                                           {"limit", shown_share(candidate.config.gpu.memory_threshold)}});
}

}  // namespace
}  // namespace memory_threshold

extern constinit const Rule memory_threshold_rule = {
    .name = "memory_threshold",
    .description = "memory in use is above gpu.memory_threshold",
    .refuse = memory_threshold::refuse,
    .refuses = memory_threshold::refuses,
    .is_of_gpu = true,
};

}  // namespace sonde::dispatch
