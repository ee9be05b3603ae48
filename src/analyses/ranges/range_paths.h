#pragma once

#include <vector>

#include "trace/trace.h"

/// Where launches of two recordings lie in the program's ranges.
namespace sonde {

/// The push/pop ranges around a launch, domain after domain, the outermost of each first.
struct RangePath {
  Ids labels;  ///< a number for each (domain, name)
  Ids places;  ///< the same with names that differ by numbers only as one
};

struct RangePaths {
  std::vector<RangePath> paths;
  Ids of_launch;   ///< row of `paths` for each row of the timeline's kernels
  Ids of_profile;  ///< the same for each row of the reports' kernel_profiles
};

/// Ranges whose name, but for numbers, is in one of the recordings only are left out: what one was annotated with and
/// the other not tells no launches apart.
[[nodiscard]] RangePaths range_paths(const Trace& timeline, const Trace& reports);

}  // namespace sonde
