#include "dispatch/rules/shared_told.h"

namespace sonde::dispatch {
namespace {

bool refuses(const Candidate& candidate) {
  return candidate.load.tasks >= candidate.config.gpu.multi_gpu.max_concurrent_tasks_per_gpu;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return told("slots", {{"tasks", std::to_string(candidate.load.tasks)},
                        {"limit", std::to_string(candidate.config.gpu.multi_gpu.max_concurrent_tasks_per_gpu)}});
}

}  // namespace

extern constinit const Rule slots_rule = {
    .name = "slots",
    .description = "the GPU runs gpu.multi_gpu.max_concurrent_tasks_per_gpu tasks already",
    .refuse = refuse,
    .refuses = refuses,
    .is_of_gpu = true,
};

}  // namespace sonde::dispatch
