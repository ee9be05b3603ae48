#include "findings/evidence/steady_calls.h"

/// Device code loaded or compiled in steps after the warm-up: each step finds kernels that were not there before.
namespace sonde {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  judge_steady_calls(facts, diagnosis, "steady_load", ApiKind::load, IdleCause::load);
}

}  // namespace

extern const Rule steady_load_rule;
const Rule steady_load_rule{"steady_load", "device code loaded or compiled in steady steps", kSteadyCallFields,
                            kLoopChecks, &judge};

}  // namespace sonde
