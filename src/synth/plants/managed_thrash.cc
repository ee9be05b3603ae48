#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace managed_thrash {
namespace {

/// Managed memory that the first kernel of each iteration and then the host touch.
void plant_managed_thrash(Program& program) {
  constexpr int64_t kManagedBytes = int64_t{8} << 20;
  for (HostThread& thread : program.threads) {
    Steps& steps = thread.iteration;
    const auto launch = std::ranges::find(steps, StepKind::launch, &Step::kind);
    const bool iterates =
        std::ranges::any_of(steps, [&](const Step& step) { return opens(program, step, RangeLevel::iteration); });
    if (!iterates || launch == steps.end()) continue;
    Step read = planted(StepKind::unified_read, launch->site, "managed");
    read.memory = read.site;
    read.amount = kManagedBytes;
    launch->memory = read.site;
    launch->amount = kManagedBytes;
    steps.insert(steps.end() - 1, read);
  }
}

}  // namespace
}  // namespace managed_thrash

extern const Plant managed_thrash_plant;
const Plant managed_thrash_plant = {"managed_thrash", "unified memory migrates to the GPU and back in each iteration",
                                    "at the first kernel and the end of each iteration", "--plant managed_thrash",
                                    &managed_thrash::plant_managed_thrash};

}  // namespace sonde::synth
