#pragma once

#include "analyses/gpus/idle_time.h"
#include "trace/trace.h"

namespace sonde {

/// The steps of a run after its warm-up (find_warm_up()); none where no range repeats as steps do.
[[nodiscard]] std::vector<Span> steady_steps(const Trace& trace);

/// What steady_steps() reads.
inline constexpr Fields kStepFields = kIdleFields | Fields{Field::syncs};

}  // namespace sonde
