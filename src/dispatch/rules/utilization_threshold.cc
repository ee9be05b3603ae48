#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace utilization_threshold {
namespace {

bool refuses(const Candidate& candidate) {
  return candidate.gpu.utilization.value_or(0) > candidate.config.gpu.utilization_threshold;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("utilization_threshold", {{"use", shown_share(*candidate.gpu.utilization)},
                                                {"limit", shown_share(candidate.config.gpu.utilization_threshold)}});
}

}  // namespace
}  // namespace utilization_threshold

extern constinit const Rule utilization_threshold_rule = {
    .name = "utilization_threshold",
    .description = "utilization is above gpu.utilization_threshold",
    .refuse = utilization_threshold::refuse,
    .refuses = utilization_threshold::refuses,
    .is_of_gpu = true,
};

}  // namespace sonde::dispatch
