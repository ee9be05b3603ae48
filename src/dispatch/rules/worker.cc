#include "dispatch/rules/shared_refusal.h"
#include "dispatch/strategies/shared_mapping.h"

namespace sonde::dispatch {
namespace worker {
namespace {

bool refuses(const Candidate& candidate) {
  if (!candidate.task.spec.inference) return false;
  return std::ranges::none_of(candidate.task.spec.workers,
                              [&](const auto& worker) { return names_gpu(worker.first, candidate.gpu); });
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("worker", {{"type", candidate.task.spec.type}}, Lasts::for_good);
}

}  // namespace
}  // namespace worker

extern constinit const Rule worker_rule = {
    .name = "worker",
    .description = "the task is a request to a worker, and its type has no worker for this GPU",
    .refuse = worker::refuse,
    .refuses = worker::refuses,
};

}  // namespace sonde::dispatch
