#include "synth/builder.h"
#include "synth/kernels.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace tiny_waits {
namespace {

/// Tensors whose values are looked at one by one.
constexpr uint32_t kTensors = 96;
/// What the host does for each, as any operator.
constexpr int64_t kOperatorNs = 3'800;

void append_check(const Program& program, uint16_t gpu, uint32_t site, uint32_t kernel, uint32_t number, Steps& steps) {
  Step host = planted(StepKind::host_work, site, "check", number);
  host.amount = kOperatorNs;
  Step launch = planted(StepKind::launch, site, "is it finite", number);
  launch.call = ApiCall::launch_kernel;
  launch.what = kernel;
  Step copy = planted(StepKind::copy, site, "item", number);
  copy.call = ApiCall::copy_async;
  copy.copy_kind = CopyKind::device_to_host;
  copy.host_memory = MemoryKind::pageable;
  copy.amount = 1;
  Step wait = planted(StepKind::sync_stream, site, "wait for item", number);
  for (Step* step : {&launch, &copy, &wait}) step->stream = any_stream(program, gpu);
  steps.insert(steps.end(), {host, launch, copy, wait});
}

/// After the first layer of an iteration, the host looks at many tensors, one after another: isfinite(t).all().item().
void plant_tiny_waits(Program& program) {
  const uint32_t kernel = add_kernel(program, elementwise_kernel("isfinite", 4096, 2));
  for (HostThread& thread : program.threads) {
    if (!thread.name.starts_with("main")) continue;
    Steps steps;
    bool done = false;
    for (const Step& step : thread.iteration) {
      steps.push_back(step);
      if (done || !opens_layer(program, step)) continue;
      done = true;
      for (uint32_t i = 0; i < kTensors; ++i) append_check(program, thread.gpu, step.site, kernel, i, steps);
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace
}  // namespace tiny_waits

extern const Plant tiny_waits_plant;
const Plant tiny_waits_plant = {"tiny_waits", "the host looks at many tensors one by one, and waits for each value",
                                "at the first layer of each iteration", "--plant tiny_waits",
                                &tiny_waits::plant_tiny_waits};

}  // namespace sonde::synth
