#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace slow_gpu {
namespace {

/// As a GPU whose clocks are held down.
constexpr int64_t kPermille = 1100;

/// Kernels of the last GPU take longer; collectives do not, whose speed is the link's.
void plant_slow_gpu(Program& program) {
  const auto slow = static_cast<uint16_t>(program.gpus - 1);
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    Kernel kernel = program.kernels[k];
    kernel.duration_ns = kernel.duration_ns * kPermille / 1000;
    program.kernels.push_back(kernel);
  }
  for (HostThread& thread : program.threads) {
    if (thread.gpu != slow) continue;
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::launch) step.what += kernels;
    }
  }
}

}  // namespace
}  // namespace slow_gpu

extern const Plant slow_gpu_plant;
const Plant slow_gpu_plant = {"slow_gpu", "kernels of one GPU take 10 % longer", "on the last GPU",
                              "--gpus 2 --plant slow_gpu", &slow_gpu::plant_slow_gpu};

}  // namespace sonde::synth
