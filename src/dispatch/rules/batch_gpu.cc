#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace batch_gpu {
namespace {

bool refuses(const Candidate& candidate) {
  const std::vector<std::string>& only = candidate.task.only_gpus;
  return !only.empty() && std::ranges::find(only, candidate.gpu.uuid) == only.end();
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("batch_gpu", {{"gpus", fmt::format("{}", fmt::join(candidate.task.only_gpus, ", "))}});
}

}  // namespace
}  // namespace batch_gpu

extern constinit const Rule batch_gpu_rule = {
    .name = "batch_gpu",
    .description = "the batch of the task is assigned to other GPUs",
    .refuse = batch_gpu::refuse,
    .refuses = batch_gpu::refuses,
};

}  // namespace sonde::dispatch
