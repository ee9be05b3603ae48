#include "inject/cupti/worker_record.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace sonde::inject::cupti {
namespace {

constexpr int64_t kPauseNs = 2'000'000;
constexpr int kPauses = 1000;

thread_local constinit bool gave_up = false;
thread_local constinit int64_t last_time = 0;

bool has_room(uint32_t bytes) noexcept {
  ThreadChunk& mine = thread_chunk;
  const bool own = mine.token == attachment.guard->load(std::memory_order_relaxed);
  return (own && static_cast<size_t>(mine.end - mine.next) >= bytes) || take_chunk(mine, bytes);
}

/// The call itself: the function of that name may be this library's own.
void pause_a_little() noexcept {
  const timespec time{0, kPauseNs};
  syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, nullptr);
}

bool wait_for_room(uint32_t bytes) noexcept {
  bool room = has_room(bytes);
  for (int i = 0; i < kPauses && !room && !gave_up; ++i) {
    pause_a_little();
    room = has_room(bytes);
  }
  gave_up = !room;
  return room;
}

/// When the record was written. Each is later than the one before, so that the recorder finds their order.
int64_t next_time() noexcept {
  const int64_t now = now_ns();
  last_time = now > last_time ? now : last_time + 1;
  return last_time;
}

}  // namespace

std::byte* begin_worker_record(wire::Kind kind, uint32_t bytes, uint16_t domain) noexcept {
  std::byte* const at = wait_for_room(bytes) ? begin_record(bytes) : nullptr;
  if (at != nullptr) return put_head(at, kind, bytes, domain, 0, next_time());
  count(wire::Loss::worker);
  return nullptr;
}

}  // namespace sonde::inject::cupti
