#pragma once

#include <string>
#include <string_view>

#include "findings/rule.h"

namespace sonde {

/// What one rule finds in a trace, without checks of the profile. Also expects that the rule's row has the texts of all
/// findings and abstentions, and that these give all {named} arguments.
[[nodiscard]] Diagnosis ask_rule(std::string_view name, const Trace& trace);

/// The ids of findings, and of reasons to draw no conclusion: "steady_load " or "no conclusion: steady_calls.no_steps
/// ".
[[nodiscard]] std::string conclusions_of(const Diagnosis& diagnosis);

}  // namespace sonde
