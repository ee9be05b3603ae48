#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace steady_load {
namespace {

/// Device code that is loaded again all the time: what a cache of compiled kernels that is too small does.
void plant_steady_load(Program& program) {
  constexpr int32_t kEvery = 2;
  for (HostThread& thread : program.threads) {
    const auto begin = std::ranges::find_if(
        thread.iteration, [&](const Step& step) { return opens(program, step, RangeLevel::iteration); });
    if (begin == thread.iteration.end()) continue;
    Step step = planted(StepKind::call, begin->site, "load");
    step.call = ApiCall::load_library;
    step.every = kEvery;
    thread.iteration.insert(begin + 1, step);
  }
}

}  // namespace
}  // namespace steady_load

extern const Plant steady_load_plant;
const Plant steady_load_plant = {"steady_load", "every second iteration loads device code",
                                 "at the start of every second iteration, on the threads that run it",
                                 "--plant steady_load", &steady_load::plant_steady_load};

}  // namespace sonde::synth
