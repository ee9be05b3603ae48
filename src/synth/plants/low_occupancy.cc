#include "synth/synth.h"

namespace sonde::synth {
namespace low_occupancy {
namespace {

/// Activations compiled to as many registers as a thread can have: an SM holds an eighth of its warps. The memory is
/// busy from two fifths on.
void plant_low_occupancy(Program& program) {
  constexpr int32_t kMaxRegisters = 255;
  constexpr int64_t kHeldPermille = 125;
  constexpr int64_t kEnoughPermille = 400;
  for (Kernel& kernel : program.kernels) {
    if (!kernel.name.contains("gelu")) continue;
    kernel.registers = kMaxRegisters;
    kernel.dram_percent = kernel.dram_percent * kHeldPermille / kEnoughPermille;
    kernel.duration_ns = kernel.duration_ns * kEnoughPermille / kHeldPermille;
  }
}

}  // namespace
}  // namespace low_occupancy

extern const Plant low_occupancy_plant;
const Plant low_occupancy_plant = {
    "low_occupancy", "activation kernels with high register use, so few warps fit on an SM",
    "in each MLP module, forward and backward", "--plant low_occupancy", &low_occupancy::plant_low_occupancy};

}  // namespace sonde::synth
