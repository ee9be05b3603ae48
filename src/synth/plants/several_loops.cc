#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace several_loops {
namespace {

constexpr uint32_t kValidations = 10;

/// The kernels that a thread launches in an iteration.
Steps launches_of(const HostThread& thread) {
  Steps launches;
  for (const Step& step : thread.iteration) {
    if (step.kind == StepKind::launch) launches.push_back(step);
  }
  return launches;
}

/// A second loop after the first: passes over the same model, each in a range and followed by a wait. It costs the
/// first loop nothing.
void plant_several_loops(Program& program) {
  const auto validation = static_cast<uint32_t>(program.ranges.size());
  program.ranges.push_back({.level = RangeLevel::phase, .nvtx = "validate", .torch = "validate", .shapes = {}});
  for (HostThread& thread : program.threads) {
    const Steps launches = launches_of(thread);
    if (!thread.name.starts_with("main") || launches.empty()) continue;
    Steps after;
    for (uint32_t i = 0; i < kValidations; ++i) {
      Step push = planted(StepKind::push_range, launches.front().site, "validate", i);
      Step wait = planted(StepKind::sync_stream, launches.front().site, "validated", i);
      Step pop = planted(StepKind::pop_range, launches.front().site, "validate end", i);
      push.what = pop.what = validation;
      wait.stream = launches.front().stream;
      after.push_back(push);
      after.insert(after.end(), launches.begin(), launches.end());
      after.push_back(wait);
      after.push_back(pop);
    }
    thread.after.insert(thread.after.begin(), after.begin(), after.end());
  }
}

}  // namespace
}  // namespace several_loops

extern const Plant several_loops_plant;
const Plant several_loops_plant = {"several_loops", "a second loop after the first; costs nothing",
                                   "after the iterations", "--plant several_loops",
                                   &several_loops::plant_several_loops};

}  // namespace sonde::synth
