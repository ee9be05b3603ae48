#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace single_gpu {
namespace {

bool refuses(const Candidate& candidate) { return !candidate.config.gpu.multi_gpu.enabled && !candidate.is_first; }

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("single_gpu");
}

}  // namespace
}  // namespace single_gpu

extern constinit const Rule single_gpu_rule = {
    .name = "single_gpu",
    .description = "gpu.multi_gpu.enabled is false, and a GPU with a lower index is used",
    .refuse = single_gpu::refuse,
    .refuses = single_gpu::refuses,
};

}  // namespace sonde::dispatch
