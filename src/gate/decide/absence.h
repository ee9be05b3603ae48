#pragma once

#include <optional>

#include "gate/decide/cases.h"

namespace sonde::gate {

/// Why a run, which has no value of a figure, has none, where more can be said than that it was not measured: what
/// would measure it. `side`: what the run belongs to, for people.
[[nodiscard]] std::optional<Refusal> why_absent(const Figure& figure, const Scope& scope, const RunRecord& run,
                                                std::string_view side);

}  // namespace sonde::gate
