#pragma once

#include <string_view>

#include "analyses/gpus/idle_time.h"
#include "analyses/replay/replay.h"
#include "base/text/text_catalogue.h"
#include "findings/rule.h"

namespace sonde {

/// Calls of a kind that belongs before the loop and is made in its steady steps: the ceiling is what a replay
/// (replay.h) saves in which they are not made. Asynchronous calls are left out: they are the fix. Claims the GPUs'
/// idle time of `cause`. Abstains without steps.
void judge_steady_calls(const Facts& facts, Diagnosis& diagnosis, std::string_view rule, ApiKind kind, IdleCause cause);

/// Why these rules draw no conclusion.
inline constexpr CatalogueText kSteadyCallsNeedSteps{
    "steady_calls.no_steps.says", "no steps were found, so the loop cannot be distinguished from set-up"};

inline constexpr Fields kSteadyCallFields = kReplayFields | kIdleFields;

}  // namespace sonde
