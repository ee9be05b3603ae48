#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace redundant_sync {
namespace {

/// As many values of a step are written to a log: a wait for each, though one covers all. Norms of parameters,
/// gradients and the optimizer's moments of 8 layers are about as many.
constexpr uint32_t kValues = 400;

void plant_redundant_sync(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps& steps = thread.iteration;
    const auto iterates = [&](const Step& step) { return opens(program, step, RangeLevel::iteration); };
    if (std::ranges::none_of(steps, iterates)) continue;
    const Step last = steps.back();
    steps.pop_back();
    for (uint32_t i = 0; i < kValues; ++i) {
      Step sync = planted(StepKind::sync_device, last.site, "wait for a value", i);
      sync.stream = any_stream(program, thread.gpu);
      steps.push_back(sync);
    }
    steps.push_back(last);
  }
}

}  // namespace
}  // namespace redundant_sync

extern const Plant redundant_sync_plant;
const Plant redundant_sync_plant = {
    "redundant_sync", "the host synchronizes with the GPU again before it reads each value",
    "at the end of each iteration, on every GPU", "--plant redundant_sync", &redundant_sync::plant_redundant_sync};

}  // namespace sonde::synth
