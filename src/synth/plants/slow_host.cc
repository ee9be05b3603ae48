#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace slow_host {
namespace {

/// Host work of one GPU's thread in each iteration: a data set on slower storage, a log that rank 0 alone writes.
void plant_slow_host(Program& program) {
  constexpr int64_t kWorkNs = 2'500'000;
  for (HostThread& thread : program.threads) {
    if (thread.gpu + 1 != program.gpus) continue;
    for (size_t i = 0; i < thread.iteration.size(); ++i) {
      if (!opens(program, thread.iteration[i], RangeLevel::iteration)) continue;
      Step step = planted(StepKind::host_work, thread.iteration[i].site, "slow_host");
      step.amount = kWorkNs;
      step.steady = true;
      thread.iteration.insert(thread.iteration.begin() + static_cast<std::ptrdiff_t>(i) + 1, step);
      break;
    }
  }
}

}  // namespace
}  // namespace slow_host

extern const Plant slow_host_plant;
const Plant slow_host_plant = {"slow_host", "one GPU's thread does more host work in each iteration",
                               "at the beginning of each iteration, on the thread of the last GPU",
                               "--gpus 2 --plant slow_host", &slow_host::plant_slow_host};

}  // namespace sonde::synth
