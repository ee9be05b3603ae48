#include <algorithm>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace single_kernel {
namespace {

/// The first launch of the longest kernel.
const Step* longest_launch(const Program& program, const Steps& steps) {
  const Step* longest = nullptr;
  const auto duration = [&](const Step& s) { return program.kernels[s.what].duration_ns; };
  for (const Step& step : steps) {
    if (step.kind != StepKind::launch) continue;
    if (longest == nullptr || duration(step) > duration(*longest)) longest = &step;
  }
  return longest;
}

/// An iteration is one kernel, without ranges; threads that load data or go backward have nothing to do.
void plant_single_kernel(Program& program) {
  for (HostThread& thread : program.threads) {
    const Step* launch = thread.name.starts_with("main") ? longest_launch(program, thread.iteration) : nullptr;
    Steps iteration;
    if (launch != nullptr) iteration.push_back(*launch);
    thread.iteration = std::move(iteration);
  }
}

}  // namespace
}  // namespace single_kernel

extern const Plant single_kernel_plant;
const Plant single_kernel_plant = {"single_kernel", "one kernel per iteration and no ranges; costs nothing",
                                   "in all iterations", "--plant single_kernel", &single_kernel::plant_single_kernel};

}  // namespace sonde::synth
