#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace memory_growth {
namespace {

/// Memory from a pool that no iteration gives back: results that are kept with all that they were made from.
void plant_memory_growth(Program& program) {
  constexpr int64_t kKeptBytes = int64_t{96} << 20;
  for (HostThread& thread : program.threads) {
    const auto begin = std::ranges::find_if(
        thread.iteration, [&](const Step& step) { return opens(program, step, RangeLevel::iteration); });
    if (begin == thread.iteration.end()) continue;
    Step step = planted(StepKind::allocate, begin->site, "kept");
    step.call = ApiCall::allocate_async;
    step.amount = kKeptBytes;
    thread.iteration.insert(begin + 1, step);
  }
}

}  // namespace
}  // namespace memory_growth

extern const Plant memory_growth_plant;
const Plant memory_growth_plant = {"memory_growth", "each iteration allocates memory that is never freed",
                                   "at the start of each iteration, on every GPU", "--plant memory_growth",
                                   &memory_growth::plant_memory_growth};

}  // namespace sonde::synth
