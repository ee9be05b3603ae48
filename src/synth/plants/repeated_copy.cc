#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace repeated_copy {
namespace {

bool opens_part_of_layer(const Program& program, const Step& step) {
  if (!opens(program, step, RangeLevel::module)) return false;
  const std::string& name = program.ranges[step.what].nvtx;
  return name.ends_with(".attention") || name.ends_with(".mlp");
}

/// Each attention and each MLP copies its mask to the GPU again, forward.
void plant_repeated_copy(Program& program) {
  constexpr int64_t kMaskBytes = int64_t{8} << 20;
  for (HostThread& thread : program.threads) {
    if (!thread.name.starts_with("main")) continue;
    Steps steps;
    for (const Step& step : thread.iteration) {
      steps.push_back(step);
      if (!opens_part_of_layer(program, step)) continue;
      Step copy = planted(StepKind::copy, step.site, "mask");
      copy.call = ApiCall::copy_async;
      copy.copy_kind = CopyKind::host_to_device;
      copy.stream = any_stream(program, thread.gpu);
      copy.amount = kMaskBytes;
      steps.push_back(copy);
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace repeated_copy

extern const Plant repeated_copy_plant;
const Plant repeated_copy_plant = {"repeated_copy", "each attention and MLP module copies the same mask to the GPU",
                                   "in each layer of the forward pass", "--plant repeated_copy",
                                   &repeated_copy::plant_repeated_copy};

}  // namespace sonde::synth
