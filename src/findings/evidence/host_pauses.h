#pragma once

#include <string>
#include <vector>

#include "analyses/replay/replay.h"
#include "findings/rule.h"

/// Time in which the threads that launch a GPU's work are in no operator and in no CUDA call: the program's own code,
/// or nothing at all.
namespace sonde {

inline constexpr Fields kHostPauseFields = kReplayFields | Fields{Field::ranges};

struct HostPause {
  ThreadId thread = kNone;  ///< whose next operator or call ends it
  NameId before = kNone;    ///< the operator or call that begins or ends before it
  NameId after = kNone;     ///< and behind it
  int64_t start_ns = 0;
  int64_t end_ns = 0;

  [[nodiscard]] int64_t length_ns() const { return end_ns - start_ns; }
};

/// Those of the judged time that last for at least `shortest_ns`, by start. Empty where the GPUs are too seldom idle
/// for `least` pauses of a millisecond or more. O(n) of ranges and calls.
[[nodiscard]] std::vector<HostPause> host_pauses(const Facts& facts, size_t least, int64_t shortest_ns);

/// The time of pauses that a finding is about, by place: "aten::linear and aten::relu 40 %".
[[nodiscard]] std::string places_of(const Facts& facts, const std::vector<HostPause>& pauses);

/// The longest.
[[nodiscard]] std::vector<Evidence> evidence_of(const Facts& facts, std::vector<HostPause> pauses);

/// The program without them.
[[nodiscard]] std::vector<Cut> cuts_of(const std::vector<HostPause>& pauses);

/// Claims them, and idle time that begins in one of them.
void claim_pauses(const Facts& facts, const std::vector<HostPause>& pauses, Claims& claims);

}  // namespace sonde
