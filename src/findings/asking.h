#pragma once

#include <span>

#include "findings/checks.h"
#include "findings/rule.h"

namespace sonde {

/// Asks rules, on up to worker_count() threads. What they find, abstain from and claim stands in their order, whatever
/// the order in which they answered. A rule that needs one of the failed checks abstains.
[[nodiscard]] Diagnosis ask_all(std::span<const Rule* const> rules, const Facts& facts,
                                std::span<const FailedCheck> failed);

}  // namespace sonde
