#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace slots {
namespace {

bool refuses(const Candidate& candidate) {
  return candidate.load.tasks >= candidate.config.gpu.multi_gpu.max_concurrent_tasks_per_gpu;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("slots",
                      {{"tasks", std::to_string(candidate.load.tasks)},
                       {"limit", std::to_string(candidate.config.gpu.multi_gpu.max_concurrent_tasks_per_gpu)}});
}

}  // namespace
}  // namespace slots

extern constinit const Rule slots_rule = {
    .name = "slots",
    .description = "the GPU runs gpu.multi_gpu.max_concurrent_tasks_per_gpu tasks already",
    .refuse = slots::refuse,
    .refuses = slots::refuses,
    .is_of_gpu = true,
};

}  // namespace sonde::dispatch
