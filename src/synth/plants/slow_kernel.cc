#include <algorithm>
#include <map>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace slow_kernel {
namespace {

constexpr int64_t kSlower = 3;

/// The same kernel in all but its time.
class SlowKernels {
 public:
  explicit SlowKernels(Program& program) : program_(program) {}

  uint32_t slow(uint32_t kernel) {
    const auto [known, fresh] = slow_.try_emplace(kernel, static_cast<uint32_t>(program_.kernels.size()));
    if (fresh) {
      program_.kernels.push_back(program_.kernels[kernel]);
      program_.kernels.back().duration_ns *= kSlower;
    }
    return known->second;
  }

 private:
  Program& program_;
  std::map<uint32_t, uint32_t> slow_;  ///< by kernel
};

bool opens_first_layer(const Program& program, const Step& step) {
  return opens(program, step, RangeLevel::module) && program.ranges[step.what].nvtx == "encoder.layer.0";
}

void plant_slow_kernel(Program& program) {
  SlowKernels kernels(program);
  for (HostThread& thread : program.threads) {
    std::vector<bool> open;  // of the first layer
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::push_range) open.push_back(opens_first_layer(program, step));
      if (step.kind == StepKind::pop_range) open.pop_back();
      if (step.kind == StepKind::launch && std::ranges::find(open, true) != open.end()) {
        if (program.kernels[step.what].name.contains("gelu_functor")) step.what = kernels.slow(step.what);
      }
    }
  }
}

}  // namespace
}  // namespace slow_kernel

extern const Plant slow_kernel_plant;
const Plant slow_kernel_plant = {"slow_kernel", "the activation kernel of one layer takes three times as long",
                                 "in the encoder's first layer, forward", "--plant slow_kernel",
                                 &slow_kernel::plant_slow_kernel};

}  // namespace sonde::synth
