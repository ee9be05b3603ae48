#pragma once

#include <atomic>
#include <cstdint>

/// What of a program's life is recorded, as it is in the mapping's header: rounds one behind the other, each of
/// which the recorder or the program itself begins and ends (rounds.h).
namespace sonde::wire {

/// When a round began and ended, CLOCK_MONOTONIC. Events belong to the round in which their times lie.
struct RoundTimes {
  std::atomic<int64_t> begin;
  std::atomic<int64_t> end;
};

/// Rounds that have ended before the recorder looked: more than the program makes in a look at 10 microseconds each are
/// refused, and counted.
inline constexpr uint32_t kRounds = 128;

struct Rounds {
  std::atomic<uint32_t> begun;     ///< rounds in all; round i has the place i % kRounds
  std::atomic<uint32_t> finished;  ///< of these
  std::atomic<uint32_t> taken;     ///< of these; the recorder needs their places no more
  std::atomic<uint32_t> refused;   ///< ranges that would have been rounds, and found no place
  RoundTimes times[kRounds];
};

inline constexpr uint32_t kMostCaptureText = 255;

/// The NVTX range that is a round, and how many of them. Written by the recorder while no trigger is set.
struct Capture {
  std::atomic<uint32_t> ranges_left;  ///< that still begin a round
  uint32_t ends;                      ///< 0: a round continues behind the end of its range
  uint32_t any_domain;                ///< 1: whatever domain the range is in
  uint32_t text_bytes;
  uint32_t domain_bytes;
  char text[kMostCaptureText + 1];
  char domain[kMostCaptureText + 1];  ///< empty: the default domain
};

}  // namespace sonde::wire
