#pragma once

#include <string_view>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "findings/rule.h"

namespace sonde {

/// Calls of a kind that belongs before the loop and is made in its steady steps: the ceiling is what a replay
/// (replay.h) saves in which they are not made. Asynchronous calls are left out: they are the remedy. Claims the GPUs'
/// idle time of the cause that stands for such calls. Abstains where nothing tells a loop from its set-up.
void judge_steady_calls(const Facts& facts, Diagnosis& diagnosis, std::string_view rule, ApiKind kind, IdleCause cause);

inline const Fields kSteadyCallFields = kReplayFields | kIdleFields;

}  // namespace sonde
