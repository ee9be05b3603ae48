#include "synth/builder.h"
#include "synth/kernels.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace pointwise_chain {
namespace {

/// What an activation written out in Python launches, each over the whole tensor: the tanh form of GELU.
constexpr const char* kFunctors[] = {"pow_tensor_scalar", "mul", "add", "tanh", "mul"};

std::vector<uint32_t> chain_of(Program& program, const Kernel& fused) {
  std::vector<uint32_t> parts;
  for (const char* functor : kFunctors) {
    Kernel part = fused;
    part.name = elementwise_kernel(functor, 1, 2).name;
    parts.push_back(add_kernel(program, part));
  }
  return parts;
}

void plant_pointwise_chain(Program& program) {
  const auto is_gelu = [](const Kernel& k) { return k.elementwise && k.name.contains("gelu_functor"); };
  replace_kernels(program, is_gelu, &chain_of);
}

}  // namespace
}  // namespace pointwise_chain

extern const Plant pointwise_chain_plant;
const Plant pointwise_chain_plant = {
    "pointwise_chain", "each GELU activation is written out: five kernels that pass the tensor on",
    "in each MLP module, on every GPU", "--plant pointwise_chain", &pointwise_chain::plant_pointwise_chain};

}  // namespace sonde::synth
