#pragma once

#include "gate/condition.h"
#include "trace/trace.h"

namespace sonde::gate {

/// What a run was made on and with, as far as the profile tells.
[[nodiscard]] Conditions conditions_of(const Trace& trace);

/// What conditions_of() reads.
inline constexpr Fields kConditionFields{Field::capture, Field::inventory};

}  // namespace sonde::gate
