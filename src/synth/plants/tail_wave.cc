#include "synth/synth.h"

namespace sonde::synth {
namespace tail_wave {
namespace {

/// Attention in blocks so large that they are one wave (a block on each of 132 SMs) and a tenth: as long as two.
void plant_tail_wave(Program& program) {
  constexpr uint32_t kWave = 132;
  constexpr uint32_t kBlocks = kWave + kWave / 10;
  for (Kernel& kernel : program.kernels) {
    if (!kernel.name.contains("flash_")) continue;
    kernel.grid = {kBlocks, 1, 1};
    kernel.duration_ns = kernel.duration_ns * 2 * kWave / kBlocks;
  }
}

}  // namespace
}  // namespace tail_wave

extern const Plant tail_wave_plant;
const Plant tail_wave_plant = {"tail_wave", "attention kernels whose second wave is a tenth full",
                               "in each layer, forward and backward", "--plant tail_wave", &tail_wave::plant_tail_wave};

}  // namespace sonde::synth
