#include "record/drain.h"

#include <unistd.h>

namespace sonde::record {
namespace {

/// A chunk that stays as it is for so long may be one of a thread that was killed. Asking costs a system call.
constexpr uint32_t kIdleSweeps = 50;

bool is_gone(uint64_t owner) {
  const std::string path = fmt::format("/proc/{}/task/{}", wire::process_of(owner), wire::thread_of(owner));
  return access(path.c_str(), F_OK) != 0;
}

}  // namespace

Drain::Drain(Mapping& mapping, SpoolWriter& spool) : mapping_(mapping), spool_(spool), known_(wire::kChunks) {}

int64_t Drain::sweep() {
  int64_t bytes = 0;
  wire::Owner* owners = wire::owners_of(mapping_.bytes());
  for (uint32_t i = 0; i < wire::kChunks; ++i) {
    const uint64_t owner = owners[i].load(std::memory_order_acquire);
    const wire::ChunkState state = wire::state_of(owner);
    if (state == wire::ChunkState::free) continue;
    Known& known = known_[i];
    const int64_t fresh = take_new(i, owner);
    bytes += fresh;
    known.idle_sweeps = fresh == 0 ? known.idle_sweeps + 1 : 0;
    const bool dead = state == wire::ChunkState::written && known.idle_sweeps % kIdleSweeps == kIdleSweeps - 1 &&
                      is_gone(owner) && take_new(i, owner) == 0;
    if (state == wire::ChunkState::full || dead) release(i);
  }
  spool_.flush();
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
  spool_.add(wire::process_of(owner), wire::thread_of(owner), records);
  known.taken = committed;
  return static_cast<int64_t>(records.size());
}

void Drain::release(uint32_t index) {
  known_[index] = {};
  wire::chunk_of(mapping_.bytes(), index)->committed.store(0, std::memory_order_relaxed);
  wire::owners_of(mapping_.bytes())[index].store(0, std::memory_order_release);
  mapping_.header().freed.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace sonde::record
