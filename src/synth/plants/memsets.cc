#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace memsets {
namespace {

/// Each layer sets a large buffer to zero before it is written anyway, forward.
void plant_memsets(Program& program) {
  constexpr int64_t kBufferBytes = int64_t{512} << 20;
  for (HostThread& thread : program.threads) {
    if (!thread.name.starts_with("main")) continue;
    Steps steps;
    for (const Step& step : thread.iteration) {
      steps.push_back(step);
      if (!opens_layer(program, step)) continue;
      Step set = planted(StepKind::set, step.site, "zeros");
      set.call = ApiCall::set_async;
      set.stream = any_stream(program, thread.gpu);
      set.amount = kBufferBytes;
      steps.push_back(set);
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace memsets

extern const Plant memsets_plant;
const Plant memsets_plant = {"memsets", "each layer sets a large buffer to zero that it then overwrites",
                             "in each layer of the forward pass", "--plant memsets", &memsets::plant_memsets};

}  // namespace sonde::synth
