#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace tiny_kernels {
namespace {

bool is_gelu(const Kernel& k) { return k.elementwise && k.name.find("gelu_functor") != std::string::npos; }

/// Each activation by slices: as many kernels, each with its launch.
constexpr uint32_t kSlices = 32;
/// Blocks of a slice: one wave, 16 on each of an H100's SMs.
constexpr uint32_t kWave = 2112;

uint32_t add_slice(Program& program, const Kernel& whole) {
  constexpr int64_t kEmptyKernelNs = 1700;  // as no kernel of kernels.h is shorter
  Kernel slice = whole;
  slice.grid[0] = kWave;
  slice.duration_ns = kEmptyKernelNs + whole.duration_ns / kSlices;
  program.kernels.push_back(slice);
  return static_cast<uint32_t>(program.kernels.size() - 1);
}

void plant_tiny_kernels(Program& program) {
  Replacements slices;
  const auto kernels = static_cast<uint32_t>(program.kernels.size());
  for (uint32_t k = 0; k < kernels; ++k) {
    if (is_gelu(program.kernels[k])) slices[k].assign(kSlices, add_slice(program, program.kernels[k]));
  }
  replace_launches(program, slices);
}

}  // namespace
}  // namespace tiny_kernels

extern const Plant tiny_kernels_plant;
const Plant tiny_kernels_plant = {"tiny_kernels", "each GELU activation runs as many tiny kernels instead of one",
                                  "in each MLP module, on every GPU", "--plant tiny_kernels",
                                  &tiny_kernels::plant_tiny_kernels};

}  // namespace sonde::synth
