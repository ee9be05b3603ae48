#include "synth/synth.h"

namespace sonde::synth {
namespace dominant_kernel {
namespace {

/// One kind of matrix product at a third of its rate: most of the busy time.
void plant_dominant_kernel(Program& program) {
  for (Kernel& kernel : program.kernels) {
    if (kernel.name.contains("gemm_bf16") && kernel.name.contains("tilesize128")) {
      kernel.duration_ns = kernel.duration_ns * 3;
    }
  }
}

}  // namespace
}  // namespace dominant_kernel

extern const Plant dominant_kernel_plant;
const Plant dominant_kernel_plant = {"dominant_kernel", "one matrix product takes most of the GPU's time",
                                     "in each layer, forward and backward", "--plant dominant_kernel",
                                     &dominant_kernel::plant_dominant_kernel};

}  // namespace sonde::synth
