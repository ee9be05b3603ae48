#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace kept {
namespace {

bool refuses(const Candidate& candidate) {
  return candidate.load.is_kept && candidate.load.kept_for != candidate.task.id;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  return make_refusal("kept", {{"task", std::to_string(candidate.load.kept_for)}});
}

}  // namespace
}  // namespace kept

extern constinit const Rule kept_rule = {
    .name = "kept",
    .description = "the GPU is reserved for a task ahead in the queue",
    .refuse = kept::refuse,
    .refuses = kept::refuses,
};

}  // namespace sonde::dispatch
