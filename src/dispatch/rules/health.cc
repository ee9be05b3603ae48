#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace health {
namespace {

bool refuses(const Candidate& candidate) { return !candidate.gpu.trouble.empty(); }

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("health", {{"trouble", candidate.gpu.trouble}});
}

}  // namespace
}  // namespace health

extern constinit const Rule health_rule = {
    .name = "health",
    .description = "the GPU is lost, has a critical incident, or its last sample is too old",
    .refuse = health::refuse,
    .refuses = health::refuses,
    .is_of_gpu = true,
    .is_lasting = true,
};

}  // namespace sonde::dispatch
