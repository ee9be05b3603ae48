#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace compute_capability {
namespace {

bool refuses(const Candidate& candidate) {
  const std::optional<int64_t>& has = candidate.gpu.compute_capability;
  return has && *has < candidate.config.gpu.min_compute_capability;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("compute_capability",
                      {{"has", shown_version(*candidate.gpu.compute_capability)},
                       {"needed", shown_version(candidate.config.gpu.min_compute_capability)}},
                      Lasts::for_good);
}

}  // namespace
}  // namespace compute_capability

extern constinit const Rule compute_capability_rule = {
    .name = "compute_capability",
    .description = "the compute capability of the GPU is below gpu.min_compute_capability",
    .refuse = compute_capability::refuse,
    .refuses = compute_capability::refuses,
    .is_of_gpu = true,
    .is_lasting = true,
};

}  // namespace sonde::dispatch
