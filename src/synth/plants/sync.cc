#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace sync {
namespace {

/// What the host then does with a value: format it, log it.
constexpr int64_t kReadNs = 60'000;

/// The host waits for the GPU after each layer, and before the iteration ends.
void plant_sync(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps steps;
    std::vector<Step> open;
    for (const Step& step : thread.iteration) {
      const bool closes = step.kind == StepKind::pop_range;
      const bool wait =
          closes && (opens_layer(program, open.back()) || opens(program, open.back(), RangeLevel::iteration));
      if (step.kind == StepKind::push_range) open.push_back(step);
      if (wait) {
        Step sync = planted(StepKind::sync_device, step.site, "sync");
        sync.stream = any_stream(program, thread.gpu);
        steps.push_back(sync);
        Step read = planted(StepKind::host_work, step.site, "read");
        read.amount = kReadNs;
        steps.push_back(read);
      }
      if (closes) open.pop_back();
      steps.push_back(step);
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace sync

extern const Plant sync_plant;
const Plant sync_plant = {"sync", "the host synchronizes with the whole GPU after each layer",
                          "at the end of each layer and iteration", "--plant sync", &sync::plant_sync};

}  // namespace sonde::synth
