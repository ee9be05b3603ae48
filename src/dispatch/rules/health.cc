#include "dispatch/rules/shared_told.h"

namespace sonde::dispatch {
namespace {

bool refuses(const Candidate& candidate) { return !candidate.gpu.trouble.empty(); }

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return told("health", {{"trouble", candidate.gpu.trouble}});
}

}  // namespace

extern constinit const Rule health_rule = {
    .name = "health",
    .description = "the GPU is lost, has a critical incident, or its last sample is too old",
    .refuse = refuse,
    .refuses = refuses,
    .is_of_gpu = true,
    .is_lasting = true,
};

}  // namespace sonde::dispatch
