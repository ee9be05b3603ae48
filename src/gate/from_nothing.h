#pragma once

#include <optional>

#include "gate/verdict.h"

/// A part of judge().
namespace sonde::gate {

/// A timed subject of which one side has nothing in any run (kernels that were added or removed, the first
/// synchronization): no ratio tells anything of it, so that it is compared as an exact figure, with the amount that the
/// rule allows. Absent where both sides have something.
[[nodiscard]] std::optional<Verdict> judge_from_nothing(const Subject& subject, const AllowedChange& change);

}  // namespace sonde::gate
