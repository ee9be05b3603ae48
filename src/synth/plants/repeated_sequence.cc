#include <array>

#include "synth/builder.h"
#include "synth/kernels.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace repeated_sequence {
namespace {

/// What a norm does, each a kernel of its own.
constexpr std::array kParts = {"to_float",    "mean",  "sub", "pow",        "mean_of_squares",
                               "add_epsilon", "rsqrt", "mul", "mul_weight", "to_bfloat16"};

bool is_norm(const Kernel& k) { return k.short_name.find("layer_norm") != std::string::npos; }

/// The work of the norm in equal parts, and what each kernel takes for nothing.
std::vector<uint32_t> add_parts(Program& program, const Kernel& norm) {
  constexpr int64_t kEmptyKernelNs = 1700;  // as no kernel of kernels.h is shorter
  const bool backward = norm.short_name.find("grad") != std::string::npos;
  std::vector<uint32_t> parts;
  for (const char* name : kParts) {
    Kernel part = elementwise_kernel(backward ? std::string(name) + "_backward" : name, norm.grid[0] * 512L, 2);
    part.duration_ns = kEmptyKernelNs + (norm.duration_ns - kEmptyKernelNs) / static_cast<int64_t>(kParts.size());
    parts.push_back(add_kernel(program, part));
  }
  return parts;
}

void plant_repeated_sequence(Program& program) { replace_kernels(program, &is_norm, &add_parts); }

}  // namespace
}  // namespace repeated_sequence

extern const Plant repeated_sequence_plant;
const Plant repeated_sequence_plant = {"repeated_sequence",
                                       "each norm runs as ten different short kernels instead of one",
                                       "in each attention and MLP module, forward and backward, on every GPU",
                                       "--plant repeated_sequence", &repeated_sequence::plant_repeated_sequence};

}  // namespace sonde::synth
