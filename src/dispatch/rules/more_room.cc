#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace more_room {
namespace {

bool refuses(const Candidate& candidate) {
  if (!candidate.task.least_room_bytes) return false;
  const std::optional<int64_t> room = room_bytes(candidate.gpu, candidate.load);
  return room && *room <= *candidate.task.least_room_bytes;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  const int64_t total = *candidate.gpu.memory_total_bytes;
  const std::string min = shown_gib(*candidate.task.least_room_bytes);
  if (total <= *candidate.task.least_room_bytes) {
    return make_refusal("more_room_total", {{"least", min}, {"total", shown_gib(total)}}, Lasts::for_good);
  }
  const int64_t room = std::max<int64_t>(0, *room_bytes(candidate.gpu, candidate.load));
  return make_refusal("more_room", {{"least", min}, {"room", shown_gib(room)}});
}

}  // namespace
}  // namespace more_room

extern constinit const Rule more_room_rule = {
    .name = "more_room",
    .description = "the task ran out of memory with as much free memory as the GPU has now",
    .refuse = more_room::refuse,
    .refuses = more_room::refuses,
};

}  // namespace sonde::dispatch
