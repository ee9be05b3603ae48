#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// How close the judged kernels come to what their GPUs allow for the shapes of their operators.
struct RooflineShare {
  double known_percent = 0;     ///< part of the kernels' time for which a least time is known
  double roofline_percent = 0;  ///< that least time, of the time of these kernels
};

/// Where the judged time goes, in nanoseconds of wall time; the three add up to it.
struct TimeExplained {
  int64_t by_findings_ns = 0;             ///< at most what findings that are not folded can save
  int64_t work_ns = 0;                    ///< the GPU works, and no finding covers it; a mean over GPUs
  int64_t idle_ns = 0;                    ///< the GPU is idle, and no finding covers it
  std::optional<RooflineShare> roofline;  ///< of the GPU work; absent where no operator's shapes are known
};

[[nodiscard]] TimeExplained explained_by(const Facts& facts, std::span<const Finding> findings);

}  // namespace sonde
