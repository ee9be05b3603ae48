#include <algorithm>

#include "synth/plants/plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace {

bool is_gelu(const Kernel& k) { return k.elementwise && k.name.find("gelu_functor") != std::string::npos; }

/// Each activation by slices: as many kernels, each with its launch.
constexpr uint32_t kSlices = 32;

uint32_t add_slice(Program& program, const Kernel& whole) {
  constexpr int64_t kEmptyKernelNs = 1700;  // as no kernel of kernels.h is shorter
  Kernel slice = whole;
  slice.grid[0] = std::max(1U, whole.grid[0] / kSlices);
  slice.duration_ns = kEmptyKernelNs + whole.duration_ns / kSlices;
  program.kernels.push_back(slice);
  return static_cast<uint32_t>(program.kernels.size() - 1);
}

void append_slices(Steps& steps, const Step& launch, uint32_t slice) {
  constexpr int64_t kSliceHostNs = 3800;  // as any operator's
  for (uint32_t i = 0; i < kSlices; ++i) {
    Step host = planted(StepKind::host_work, launch.site, "slice", i);
    host.amount = kSliceHostNs;
    if (i > 0) steps.push_back(host);
    Step step = launch;
    step.site = planted(StepKind::launch, launch.site, "launch", i).site;
    step.what = slice;
    steps.push_back(step);
  }
}

void plant_tiny_kernels(Program& program) {
  std::vector<uint32_t> slices(program.kernels.size(), 0);
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    if (is_gelu(program.kernels[k])) slices[k] = add_slice(program, program.kernels[k]);
  }
  for (HostThread& thread : program.threads) {
    Steps steps;
    for (const Step& step : thread.iteration) {
      if (step.kind == StepKind::launch && slices[step.what] != 0) {
        append_slices(steps, step, slices[step.what]);
      } else {
        steps.push_back(step);
      }
    }
    thread.iteration = std::move(steps);
  }
}

}  // namespace

extern const Plant tiny_kernels_plant;
const Plant tiny_kernels_plant = {"tiny_kernels", "each GELU activation runs as many tiny kernels instead of one",
                                  "in each MLP module, on every GPU", "--plant tiny_kernels", &plant_tiny_kernels};

}  // namespace sonde::synth
