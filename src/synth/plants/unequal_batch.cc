#include <algorithm>
#include <cmath>

#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace unequal_batch {
namespace {

/// What the last GPU has more of, and the others less together.
constexpr double kMore = 0.1;

double share_of(const Program& program, uint16_t gpu) {
  return gpu + 1 == program.gpus ? 1 + kMore : 1 - kMore / (program.gpus - 1);
}

/// Numbers of the program's kernels with so much of their work are those of the old ones and what this gives back.
uint32_t add_kernels(Program& program, uint32_t count, double share) {
  const auto first = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < count; ++k) {
    Kernel kernel = program.kernels[k];
    kernel.duration_ns = std::llround(static_cast<double>(kernel.duration_ns) * share);
    kernel.grid[0] = static_cast<uint32_t>(std::max(1L, std::lround(kernel.grid[0] * share)));
    program.kernels.push_back(kernel);
  }
  return first;
}

bool in_optimizer(const Program& program, const std::vector<uint32_t>& open) {
  return std::ranges::any_of(open, [&](uint32_t range) { return program.ranges[range].nvtx == "optimizer"; });
}

/// The batch is divided unequally: kernels have more blocks or fewer, the copy of the input more bytes or fewer. The
/// optimizer works on parameters, of which each GPU has as many as before.
void plant_unequal_batch(Program& program) {
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (HostThread& thread : program.threads) {
    const double share = share_of(program, thread.gpu);
    const uint32_t first = add_kernels(program, kernels, share);
    std::vector<uint32_t> open;
    for (Step& step : thread.iteration) {
      if (step.kind == StepKind::push_range) open.push_back(step.what);
      if (step.kind == StepKind::pop_range) open.pop_back();
      const bool input = step.kind == StepKind::copy && step.copy_kind == CopyKind::host_to_device;
      if (input) step.amount = std::llround(static_cast<double>(step.amount) * share);
      if (step.kind == StepKind::launch && !in_optimizer(program, open)) step.what += first;
    }
  }
}

}  // namespace
}  // namespace unequal_batch

extern const Plant unequal_batch_plant;
const Plant unequal_batch_plant = {"unequal_batch", "one GPU gets 10 % more of the batch, the others less",
                                   "on the last GPU", "--gpus 2 --plant unequal_batch",
                                   &unequal_batch::plant_unequal_batch};

}  // namespace sonde::synth
