#pragma once

#include "wire/layout.h"

/// Rounds begin and end by one compare and swap of the phase, so that of all threads and processes one does it. The
/// times are read in between: no event that sees the recording is older than its round.
namespace sonde::wire {

using Clock = int64_t (*)() noexcept;

inline bool change_phase(Header& header, Phase from, Phase to) noexcept {
  auto found = static_cast<uint32_t>(from);
  return header.phase.compare_exchange_strong(found, static_cast<uint32_t>(to), std::memory_order_acq_rel);
}

inline void set_phase(Header& header, Phase phase) noexcept {
  header.phase.store(static_cast<uint32_t>(phase), std::memory_order_release);
}

/// False where one is being recorded, or there is no place for another.
inline bool begin_round(Header& header, Clock now) noexcept {
  if (!change_phase(header, Phase::waiting, Phase::changing)) return false;
  Rounds& rounds = header.rounds;
  const uint32_t number = rounds.begun.load(std::memory_order_relaxed);
  const bool room = number - rounds.taken.load(std::memory_order_acquire) < kRounds;
  if (room) {
    rounds.times[number % kRounds].begin.store(now(), std::memory_order_relaxed);
    rounds.times[number % kRounds].end.store(0, std::memory_order_relaxed);
    rounds.begun.store(number + 1, std::memory_order_release);
  } else {
    rounds.refused.fetch_add(1, std::memory_order_relaxed);
  }
  set_phase(header, room ? Phase::recording : Phase::waiting);
  return room;
}

/// False where none is being recorded.
inline bool end_round(Header& header, Clock now) noexcept {
  if (!change_phase(header, Phase::recording, Phase::changing)) return false;
  Rounds& rounds = header.rounds;
  const uint32_t begun = rounds.begun.load(std::memory_order_relaxed);
  rounds.times[(begun - 1) % kRounds].end.store(now(), std::memory_order_relaxed);
  rounds.finished.store(begun, std::memory_order_release);
  set_phase(header, Phase::waiting);
  return true;
}

}  // namespace sonde::wire
