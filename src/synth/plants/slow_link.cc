#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace slow_link {
namespace {

/// Input copies over one lane of the link, on the stream that computes: nothing runs beside them.
void plant_slow_link(Program& program) {
  constexpr int32_t kSlowness = 15;
  for (HostThread& thread : program.threads) {
    for (Step& step : thread.iteration) {
      if (step.kind != StepKind::copy || step.copy_kind != CopyKind::host_to_device) continue;
      step.slowness = kSlowness;
      step.stream = any_stream(program, thread.gpu);
    }
  }
}

}  // namespace
}  // namespace slow_link

extern const Plant slow_link_plant;
const Plant slow_link_plant = {"slow_link", "input copies run at 1/15 of the link's bandwidth, on the compute stream",
                               "the input copy of each batch", "--plant slow_link", &slow_link::plant_slow_link};

}  // namespace sonde::synth
