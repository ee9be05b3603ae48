#include "record/rounds/drain.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace sonde::record {
namespace {

/// A chunk that stays as it is for so long may be one of a thread that was killed. Asking costs a system call.
constexpr uint32_t kIdleSweeps = 50;
/// The same while more than half of all chunks are in use: short programs by the thousand would take the rest.
constexpr uint32_t kIdleSweepsWhenScarce = 1;

bool is_gone(uint64_t owner) {
  return syscall(SYS_tgkill, wire::process_of(owner), wire::thread_of(owner), 0) != 0 && errno != EPERM;
}

}  // namespace

Drain::Drain(Mapping& mapping, Sink& sink) : mapping_(mapping), sink_(sink), known_(wire::kChunks) {}

int64_t Drain::sweep() {
  int64_t bytes = 0;
  const uint32_t patience = in_use_ > wire::kChunks / 2 ? kIdleSweepsWhenScarce : kIdleSweeps;
  in_use_ = 0;
  wire::Owner* owners = wire::owners_of(mapping_.bytes());
  for (uint32_t i = 0; i < wire::kChunks; ++i) {
    const uint64_t owner = owners[i].load(std::memory_order_acquire);
    const wire::ChunkState state = wire::state_of(owner);
    if (state == wire::ChunkState::free) continue;
    ++in_use_;
    Known& known = known_[i];
    const int64_t fresh = take_new(i, owner);
    bytes += fresh;
    known.idle_sweeps = fresh == 0 ? known.idle_sweeps + 1 : 0;
    const bool idle = known.idle_sweeps > 0 && known.idle_sweeps % patience == 0;
    const bool dead = state == wire::ChunkState::written && idle && is_gone(owner) && take_new(i, owner) == 0;
    if (state == wire::ChunkState::full || dead) release(i);
  }
  sink_.flush();
  return bytes;
}

int64_t Drain::take_new(uint32_t index, uint64_t owner) {
  Known& known = known_[index];
  wire::ChunkHeader* chunk = wire::chunk_of(mapping_.bytes(), index);
  const uint32_t committed = chunk->committed.load(std::memory_order_acquire);
  if (committed == known.taken) return 0;
  if (committed < known.taken || committed > wire::kRecordBytes || committed % 8 != 0) {
    ++damaged_;
    return 0;
  }
  const std::span<const std::byte> records(wire::records_of(chunk) + known.taken, committed - known.taken);
  sink_.add({wire::process_of(owner), wire::thread_of(owner), records});
  known.taken = committed;
  return static_cast<int64_t>(records.size());
}

void Drain::release(uint32_t index) {
  known_[index] = {};
  wire::chunk_of(mapping_.bytes(), index)->committed.store(0, std::memory_order_relaxed);
  wire::owners_of(mapping_.bytes())[index].store(0, std::memory_order_release);
  mapping_.header().freed.fetch_add(1, std::memory_order_release);
}

}  // namespace sonde::record
