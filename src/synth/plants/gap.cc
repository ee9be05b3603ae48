#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace gap {
namespace {

/// Host work in front of each iteration: what a slow data loader or a log written between steps does.
void plant_gap(Program& program) {
  constexpr int64_t kGapNs = 3'000'000;
  for (HostThread& thread : program.threads) {
    if (thread.iteration.empty() || !opens(program, thread.iteration.front(), RangeLevel::iteration)) continue;
    Step step = planted(StepKind::host_work, thread.iteration.front().site, "gap");
    step.amount = kGapNs;
    step.steady = true;
    thread.iteration.insert(thread.iteration.begin(), step);
  }
}

}  // namespace
}  // namespace gap

extern const Plant gap_plant;
const Plant gap_plant = {"gap", "host work between iterations, during which the GPU is idle",
                         "before each iteration, on the threads that run it", "--plant gap", &gap::plant_gap};

}  // namespace sonde::synth
