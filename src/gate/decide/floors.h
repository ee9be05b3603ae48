#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/decide/cases.h"
#include "gate/decide/decision.h"

namespace sonde::gate {

/// Gives each timed subject against the baseline the noise floor that was calibrated for it, for the numbers of runs at
/// hand. Floors of other conditions are not used. Returns what is missing, for people.
[[nodiscard]] std::vector<std::string> apply_floors(std::span<Case> cases, const Sides& sides,
                                                    const DecideOptions& options);

}  // namespace sonde::gate
