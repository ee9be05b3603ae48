#pragma once

#include <span>

#include "gate/record/run_record.h"

namespace sonde::gate {

/// What of two sides can be compared: what both recorded, of the same part of their runs.
struct Comparable {
  bool work = true;         ///< no side lost GPU work
  bool lengths = true;      ///< both are about the same part: steps, or runs cut in the same way
  bool modules = true;      ///< modules of the two sides have names in common
  bool calls = true;        ///< both recorded API calls, or neither did
  bool host_work = true;    ///< both recorded the same of the host's work: OS calls, library calls, ranges
  bool copy_memory = true;  ///< both tell which copies use pageable memory

  friend bool operator==(const Comparable&, const Comparable&) = default;
  /// Whether causes can be named at all.
  [[nodiscard]] bool causes() const { return work && lengths; }
};
[[nodiscard]] Comparable comparable(std::span<const RunRecord> base, std::span<const RunRecord> changed);

/// The part that both sides are compared over: steps where every run has them and, if launches mark them, they do about
/// as much; else GPU work, or runs where a stored record is of a whole one.
[[nodiscard]] PartOfRun common_part(std::span<const RunRecord> base, std::span<const RunRecord> changed);

}  // namespace sonde::gate
