#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/attachment.h"
#include "wire/record.h"

/// The chunk that this thread writes records into.
namespace sonde::inject {

struct ThreadChunk {
  uint64_t token = 0;  ///< of the process that took it
  std::byte* next = nullptr;
  std::byte* end = nullptr;
  wire::ChunkHeader* chunk = nullptr;
  wire::Owner* owner = nullptr;
  uint64_t owner_word = 0;  ///< what is there while the chunk is this thread's
  uint32_t thread = 0;
  uint32_t freed_seen = 0;  ///< Header::freed when no chunk was to be had
  bool none_free = false;
  bool busy = false;  ///< a record is being written: a signal handler that comes now writes none
};

// Reached without a call (the library is built for initial-exec), since one could allocate memory in the middle of
// anything. That takes some of what the C library keeps free for libraries that are loaded later: 1.6 KB in all.
extern constinit thread_local ThreadChunk thread_chunk;

/// Makes the key by which threads give their chunk back when they end. Without one the recorder finds these chunks.
void prepare_threads() noexcept;

/// Distinguishes this process from others, before it has a chunk too. Never 0.
[[nodiscard]] uint64_t own_token() noexcept;

/// Tells the recorder of this process.
void announce() noexcept;

/// Takes a chunk with room for a record of `bytes`. False when none is free.
[[nodiscard]] bool take_chunk(ThreadChunk& mine, uint32_t bytes) noexcept;

/// Room for a record of `bytes`, a multiple of 8; to be followed by commit(). Null when it is dropped, which is
/// counted.
[[nodiscard]] inline std::byte* begin_record(uint32_t bytes) noexcept {
  ThreadChunk& mine = thread_chunk;
  if (mine.busy) {
    count(wire::Loss::nested);
    return nullptr;
  }
  mine.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const bool own = mine.token == attachment.guard->load(std::memory_order_relaxed);
  if (own && static_cast<size_t>(mine.end - mine.next) >= bytes) return mine.next;
  if (take_chunk(mine, bytes)) return mine.next;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  mine.busy = false;
  count(wire::Loss::no_chunk);
  return nullptr;
}

/// Publishes the record that begin_record() made room for; not in a child that was forked in between (by a signal
/// handler): it is in a chunk of its parent's.
inline void commit_record(uint32_t bytes) noexcept {
  ThreadChunk& mine = thread_chunk;
  if (mine.token == attachment.guard->load(std::memory_order_relaxed)) {
    mine.next += bytes;
    mine.chunk->committed.store(static_cast<uint32_t>(mine.next - wire::records_of(mine.chunk)),
                                std::memory_order_release);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  mine.busy = false;
}

}  // namespace sonde::inject
