#pragma once

#include "inject/attachment.h"
#include "inject/encode.h"

/// The recording as the program itself begins and ends it: `--capture-range`.
namespace sonde::inject {

/// The program did what `trigger` waits for: where the recorder asked for it and waits, a round begins. True
/// where this call began it.
bool begin_capture(wire::Trigger trigger) noexcept;

/// It did what ends it.
void end_capture(wire::Trigger trigger) noexcept;

/// The push/pop range of this thread that began the round.
struct CaptureRange {
  uint64_t token = 0;  ///< of its process; 0: this thread began none
  uint32_t depth = 0;  ///< ranges that are open in its domain, from that one on
  uint16_t domain = 0;
};
extern constinit thread_local CaptureRange capture_range;

/// Whether a range that begins now may begin a round.
inline bool waits_for_range() noexcept {
  return phase() == wire::Phase::waiting &&
         attachment.header->trigger.load(std::memory_order_acquire) == wire::Trigger::nvtx;
}

/// A range of this name is about to begin, of which nothing is written yet. True where it began a round.
bool begin_capture_of(uint16_t domain, const Text& name) noexcept;

/// A push/pop range begins, or has ended, on this thread.
void enter_capture_range(uint16_t domain) noexcept;
void leave_capture_range(uint16_t domain) noexcept;

/// A start/end range that began a round, and the end of any.
void remember_capture_range(uint64_t id) noexcept;
void forget_capture_range(uint64_t id) noexcept;

}  // namespace sonde::inject
