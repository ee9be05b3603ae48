#include "dispatch/rules/shared_failed_worker.h"

#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {

bool worker_failed_on(const Task& task, const std::string& gpu_uuid) {
  return std::ranges::any_of(task.attempts, [&](const Attempt& attempt) {
    return attempt.cause == EndCause::worker && std::ranges::find(attempt.gpus, gpu_uuid) != attempt.gpus.end();
  });
}

Refusal failed_worker() {
  Refusal refusal = make_refusal("failed_worker");
  refusal.rule = "failed_worker";
  return refusal;
}

}  // namespace sonde::dispatch
