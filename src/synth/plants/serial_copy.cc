#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace serial_copy {
namespace {

/// Input copies on the stream that computes: kernels wait for them.
void plant_serial_copy(Program& program) {
  for (HostThread& thread : program.threads) {
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::copy && step.copy_kind == CopyKind::host_to_device) {
        step.stream = any_stream(program, thread.gpu);
      }
    }
  }
}

}  // namespace
}  // namespace serial_copy

extern const Plant serial_copy_plant;
const Plant serial_copy_plant = {"serial_copy", "input copies run on the compute stream instead of concurrently",
                                 "the input copy of each batch", "--plant serial_copy",
                                 &serial_copy::plant_serial_copy};

}  // namespace sonde::synth
