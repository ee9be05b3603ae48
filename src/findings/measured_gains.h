#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sonde {

/// Fixes that gain alike, in parts of their bound. `unmeasured`: no fix of that kind was measured.
enum class FixKind : uint8_t {
  unmeasured,
  host_wait,  ///< the GPU waits less for the host
  precision,  ///< matrix products with 16-bit numbers or TF32
  kernel,     ///< the code or the launch of one kernel; the gain is of its time
};

/// What a fix gains if it gains as others of its kind did.
struct LikelyGain {
  int64_t low_ns = 0;
  int64_t high_ns = 0;
  size_t cases = 0;  ///< measured fixes of its kind
};

/// The range that holds four of five further fixes of the kind: Student's prediction interval (Hahn and Meeker,
/// Statistical Intervals, 1991, section 4.4) of gain by bound in measured_gains.inc, between 0 and the bound. None
/// below three cases.
[[nodiscard]] std::optional<LikelyGain> likely_gain(FixKind kind, int64_t bound_ns);

}  // namespace sonde
