#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace steady_allocation {
namespace {

/// The operator, forward or backward.
bool opens_attention(const Program& program, const Step& step) {
  if (!opens(program, step, RangeLevel::op)) return false;
  const std::string& name = program.ranges[step.what].torch;
  return name.contains("scaled_dot_product") || name.starts_with("ScaledDotProduct");
}

constexpr int64_t kWorkspaceBytes = int64_t{32} << 20;

/// Both calls have the place of the operator for their own: the same memory.
Step workspace_step(StepKind kind, ApiCall call, uint32_t operator_site) {
  Step step = planted(kind, operator_site, "workspace");
  step.call = call;
  step.amount = kWorkspaceBytes;
  return step;
}

/// Each attention takes memory for its own use and gives it back.
void plant_steady_allocation(Program& program) {
  for (HostThread& thread : program.threads) {
    Steps steps;
    std::vector<Step> open;
    for (const Step& step : thread.iteration) {
      const bool closes = step.kind == StepKind::pop_range;
      if (closes && opens_attention(program, open.back())) {
        steps.push_back(workspace_step(StepKind::release, ApiCall::release, open.back().site));
      }
      if (closes) open.pop_back();
      steps.push_back(step);
      if (step.kind == StepKind::push_range) open.push_back(step);
      if (opens_attention(program, step)) {
        steps.push_back(workspace_step(StepKind::allocate, ApiCall::allocate, step.site));
      }
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace steady_allocation

extern const Plant steady_allocation_plant;
const Plant steady_allocation_plant = {"steady_allocation",
                                       "each attention calls cudaMalloc and cudaFree in every iteration",
                                       "at the start and the end of each attention operator",
                                       "--plant steady_allocation", &steady_allocation::plant_steady_allocation};

}  // namespace sonde::synth
