#include "findings/evidence/steady_calls.h"

/// Memory taken from and given back to the driver in steps after the warm-up. cudaFree, and what is like it, waits for
/// the whole GPU: the time that streams lose with it is in the ceiling too.
namespace sonde {
namespace {

void judge(const Facts& facts, Diagnosis& diagnosis) {
  judge_steady_calls(facts, diagnosis, "steady_allocation", ApiKind::allocate, IdleCause::allocation);
}

}  // namespace

extern const Rule steady_allocation_rule;
const Rule steady_allocation_rule{"steady_allocation", "memory taken from the driver and given back in each step",
                                  kSteadyCallFields, kLoopChecks, &judge};

}  // namespace sonde
