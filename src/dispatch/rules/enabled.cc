#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace enabled {
namespace {

bool refuses(const Candidate& candidate) { return !candidate.config.gpu.enabled; }

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("enabled");
}

}  // namespace
}  // namespace enabled

extern constinit const Rule enabled_rule = {
    .name = "enabled",
    .description = "gpu.enabled is false",
    .refuse = enabled::refuse,
    .refuses = enabled::refuses,
    .is_of_gpu = true,
    .is_lasting = true,
};

}  // namespace sonde::dispatch
