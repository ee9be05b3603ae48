#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace double_launches {
namespace {

/// A kernel of each norm runs twice, as where a fused operator was taken apart or a result is worked out again.
void plant_double_launches(Program& program) {
  Replacements doubled;
  for (uint32_t k = 0; k < program.kernels.size(); ++k) {
    if (program.kernels[k].name.contains("layer_norm")) doubled[k].assign(2, k);
  }
  replace_launches(program, doubled);
}

}  // namespace
}  // namespace double_launches

extern const Plant double_launches_plant;
const Plant double_launches_plant = {"double_launches", "the kernels of each norm are launched twice",
                                     "in each norm, forward and backward", "--plant double_launches",
                                     &double_launches::plant_double_launches};

}  // namespace sonde::synth
