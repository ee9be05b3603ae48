#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace sync_copy {
namespace {

constexpr int64_t kResultBytes = 4096;
/// What the host then does with the values.
constexpr int64_t kReadNs = 85'000;

/// Each layer hands statistics to the host, by a copy that returns when it is done.
void plant_sync_copy(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps steps;
    std::vector<Step> open;
    for (const Step& step : thread.iteration) {
      const bool closes = step.kind == StepKind::pop_range;
      if (closes && opens_layer(program, open.back())) {
        Step copy = planted(StepKind::copy, step.site, "sync_copy");
        copy.call = ApiCall::copy;
        copy.copy_kind = CopyKind::device_to_host;
        copy.stream = any_stream(program, thread.gpu);
        copy.amount = kResultBytes;
        steps.push_back(copy);
        Step read = planted(StepKind::host_work, step.site, "read copy");
        read.amount = kReadNs;
        steps.push_back(read);
      }
      if (step.kind == StepKind::push_range) open.push_back(step);
      if (closes) open.pop_back();
      steps.push_back(step);
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace sync_copy

extern const Plant sync_copy_plant;
const Plant sync_copy_plant = {"sync_copy", "each layer's statistics are copied to the host by a blocking call",
                               "at the end of each layer", "--plant sync_copy", &sync_copy::plant_sync_copy};

}  // namespace sonde::synth
