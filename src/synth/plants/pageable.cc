#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace pageable {
namespace {

void plant_pageable(Program& program) {
  for (HostThread& thread : program.threads) {
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::copy && step.copy_kind == CopyKind::host_to_device) {
        step.host_memory = MemoryKind::pageable;
      }
    }
  }
}

}  // namespace
}  // namespace pageable

extern const Plant pageable_plant;
const Plant pageable_plant = {"pageable", "input copies use pageable instead of pinned memory",
                              "the input copy of each batch", "--plant pageable", &pageable::plant_pageable};

}  // namespace sonde::synth
