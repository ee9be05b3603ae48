#include "synth/synth.h"

namespace sonde::synth {
namespace small_grid {
namespace {

/// Normalization with a quarter as many blocks as an H100 has SMs, each of which does four times as much: as long as
/// the SMs with work take.
void plant_small_grid(Program& program) {
  constexpr uint32_t kBlocks = 33;
  constexpr int64_t kSmsForEachBlock = 4;
  for (Kernel& kernel : program.kernels) {
    if (!kernel.name.contains("layer_norm")) continue;
    kernel.grid = {kBlocks, 1, 1};
    kernel.duration_ns *= kSmsForEachBlock;
  }
}

}  // namespace
}  // namespace small_grid

extern const Plant small_grid_plant;
const Plant small_grid_plant = {"small_grid", "normalization kernels launch a quarter as many blocks as there are SMs",
                                "in each layer, forward and backward", "--plant small_grid",
                                &small_grid::plant_small_grid};

}  // namespace sonde::synth
