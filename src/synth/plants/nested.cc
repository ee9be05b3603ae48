#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace nested {
namespace {

/// A range around all iterations. It costs nothing: the steps are inside of it.
void plant_nested(Program& program) {
  const auto epoch = static_cast<uint32_t>(program.ranges.size());
  program.ranges.push_back({.level = RangeLevel::phase, .nvtx = "epoch", .torch = "epoch", .shapes = {}});
  for (HostThread& thread : program.threads) {
    if (thread.iteration.empty() || !opens(program, thread.iteration.front(), RangeLevel::iteration)) continue;
    Step push = planted(StepKind::push_range, thread.iteration.front().site, "epoch");
    Step pop = planted(StepKind::pop_range, thread.iteration.front().site, "epoch end");
    push.what = pop.what = epoch;
    thread.before.push_back(push);
    thread.after.insert(thread.after.begin(), pop);
  }
}

}  // namespace
}  // namespace nested

extern const Plant nested_plant;
const Plant nested_plant = {"nested", "a range around all iterations; costs nothing", "around the loop",
                            "--plant nested", &nested::plant_nested};

}  // namespace sonde::synth
