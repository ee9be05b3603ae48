#include "dispatch/rules/shared_refusal.h"
#include "dispatch/strategies/shared_mapping.h"

namespace sonde::dispatch {
namespace mapped_gpu {
namespace {

bool refuses(const Candidate& candidate) {
  if (candidate.task.spec.gpus != 1) return false;
  const std::string* const mapped = mapping_of(candidate.config, candidate.task);
  return mapped != nullptr && !names_gpu(*mapped, candidate.gpu);
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("mapped_gpu",
                      {{"type", candidate.task.spec.type}, {"mapped", *mapping_of(candidate.config, candidate.task)}},
                      Lasts::for_good);
}

}  // namespace
}  // namespace mapped_gpu

extern constinit const Rule mapped_gpu_rule = {
    .name = "mapped_gpu",
    .description = "with strategy task_specific, the mapping names another GPU for the type",
    .refuse = mapped_gpu::refuse,
    .refuses = mapped_gpu::refuses,
};

}  // namespace sonde::dispatch
