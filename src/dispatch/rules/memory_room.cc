#include "dispatch/rules/shared_refusal.h"

namespace sonde::dispatch {
namespace memory_room {
namespace {

bool refuses(const Candidate& candidate) {
  const std::optional<int64_t> room = room_bytes(candidate.gpu, candidate.load);
  return room && *room < candidate.need_bytes;
}

std::optional<Refusal> refuse(const Candidate& candidate) {
  if (!refuses(candidate)) return std::nullopt;
  const GpuState& gpu = candidate.gpu;
  const std::string need = shown_gib(candidate.need_bytes);
  if (*gpu.memory_total_bytes < candidate.need_bytes) {
    return make_refusal("memory_room_total", {{"need", need}, {"total", shown_gib(*gpu.memory_total_bytes)}},
                        Lasts::for_good);
  }
  const int64_t room = *room_bytes(gpu, candidate.load);
  return make_refusal("memory_room", {{"need", need},
                                      {"kept", shown_gib(candidate.load.reserved_bytes)},
                                      {"foreign", shown_gib(foreign_bytes(gpu, candidate.load))},
                                      {"room", shown_gib(std::max<int64_t>(0, room))},
                                      {"missing", shown_gib(candidate.need_bytes - room)}});
}

}  // namespace
}  // namespace memory_room

extern constinit const Rule memory_room_rule = {
    .name = "memory_room",
    .description =
        "the GPU has less free memory than the task needs, after memory used by other processes and reserved by tasks",
    .refuse = memory_room::refuse,
    .refuses = memory_room::refuses,
};

}  // namespace sonde::dispatch
