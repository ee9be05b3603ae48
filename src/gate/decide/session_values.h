#pragma once

#include <optional>
#include <span>

#include "gate/decide/cases.h"
#include "gate/decide/decision.h"

namespace sonde::gate {

/// The figure of a case in the earlier sessions; those that do not have it are left out. Where `reference_clock_hz` is
/// given, times are those at that SM clock: absent then where a run does not tell its clock.
[[nodiscard]] std::optional<SessionHistory> session_values(const Case& one, const EarlierSessions& earlier,
                                                           std::optional<double> reference_clock_hz = {});

/// Gives each figure against the baseline its earlier sessions.
void apply_sessions(std::span<Case> cases, const EarlierSessions& earlier);

}  // namespace sonde::gate
