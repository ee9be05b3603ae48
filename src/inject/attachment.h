#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "wire/layout.h"

/// What this process has of the recorder: the mapping, found by an environment variable when the library is loaded.
/// Without one, or with one of another version, everything here stays off and the program runs as if alone.
namespace sonde::inject {

struct Attachment {
  std::byte* mapping = nullptr;
  wire::Header* header = nullptr;    ///< null: not attached
  std::atomic<bool> foreign{false};  ///< this process is in another pid namespace than the recorder
  /// A page that a child of fork() finds zeroed, however it was forked (but on kernels without MADV_WIPEONFORK): the
  /// process's token, by which threads tell that what they hold is their parent's.
  std::atomic<uint64_t>* guard = nullptr;
};

extern Attachment attachment;

/// What a process needs before a recorder may come to it: pages and keys of its own. False where they cannot be had.
[[nodiscard]] bool make_ready() noexcept;

/// Attaches to the mapping that is this file, if its header has the number. Once a process, behind make_ready().
[[nodiscard]] bool adopt(int file, uint64_t nonce) noexcept;

/// Finds out whether this process is foreign. A child of fork() may be where its parent is not.
void find_namespace() noexcept;

inline wire::Phase phase() noexcept {
  return attachment.header == nullptr
             ? wire::Phase::ended
             : static_cast<wire::Phase>(attachment.header->phase.load(std::memory_order_relaxed));
}

/// Whether events of this sort are recorded now.
inline bool records(wire::Wanted what) noexcept {
  return phase() == wire::Phase::recording && (attachment.header->wanted & what) != 0;
}

inline void count(wire::Loss loss, uint64_t times = 1) noexcept {
  if (attachment.header == nullptr) return;
  attachment.header->lost[static_cast<uint32_t>(loss)].fetch_add(times, std::memory_order_relaxed);
}

inline int64_t now_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace sonde::inject
