#include <algorithm>
#include <limits>

#include "synth/synth.h"

namespace sonde::synth {
namespace float32 {
namespace {

bool is_product(const Kernel& kernel) { return kernel.name.contains("gemm_bf16"); }

int64_t shortest_product_ns(const Program& program) {
  int64_t shortest = std::numeric_limits<int64_t>::max();
  for (const Kernel& kernel : program.kernels) {
    if (is_product(kernel)) shortest = std::min(shortest, kernel.duration_ns);
  }
  return shortest;
}

/// The smallest matrix products, those of the attention's output projection, in float32: 54 of an H100's 67 TFLOP/s,
/// where tensor cores reach 420.
void plant_float32(Program& program) {
  constexpr int64_t kTensorTflops = 420;
  constexpr int64_t kFloat32Tflops = 54;
  const int64_t shortest = shortest_product_ns(program);
  for (Kernel& kernel : program.kernels) {
    if (!is_product(kernel) || kernel.duration_ns > shortest) continue;
    kernel.name = kernel.short_name = kernel.mangled_name =
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_aligna4_alignc4_execute_"
        "kernel"
        "__5x_cublas";
    kernel.duration_ns = kernel.duration_ns * kTensorTflops / kFloat32Tflops;
  }
}

}  // namespace
}  // namespace float32

extern const Plant float32_plant;
const Plant float32_plant = {"float32", "the smallest matrix products run in float32, without tensor cores",
                             "in each layer, forward and backward", "--plant float32", &float32::plant_float32};

}  // namespace sonde::synth
