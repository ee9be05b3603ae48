#include <algorithm>

#include "synth/builder.h"
#include "synth/kernels.h"
#include "synth/plants/shared_plant_tools.h"
#include "synth/synth.h"

namespace sonde::synth {
namespace unfused_attention {
namespace {

constexpr int64_t kHeads = 16;
constexpr int64_t kTokens = 512;
constexpr int64_t kBatch = 8;
constexpr int64_t kHeadDepth = 64;

/// A product that reads or writes the scores: bound by memory.
Kernel scores_product(int64_t scores) {
  constexpr int64_t kBytesPerNs = 2600;
  Kernel kernel = gemm_kernel(kTokens, kTokens, kHeadDepth);
  kernel.duration_ns = 1700 + scores * 2 / kBytesPerNs;
  kernel.grid = {132, 1, 1};
  return kernel;
}

/// How much larger the program's batch is than kBatch: as the blocks of the residual addition tell.
int64_t batches_of(const Program& program) {
  constexpr uint32_t kBlocksOfBatch = 8192;
  const auto add = std::ranges::find_if(
      program.kernels, [](const Kernel& k) { return k.elementwise && k.name.contains("add_functor"); });
  return add == program.kernels.end() ? 1 : add->grid[0] / kBlocksOfBatch;
}

std::vector<uint32_t> parts_of(Program& program) {
  const int64_t samples = kBatch * batches_of(program);
  const int64_t scores = samples * kHeads * kTokens * kTokens;
  const uint32_t product = add_kernel(program, scores_product(scores));
  return {product, add_kernel(program, elementwise_kernel("mul", scores, 2)),
          add_kernel(program, elementwise_kernel("masked_fill", scores, 2)),
          add_kernel(program, softmax_kernel(samples * kHeads * kTokens, kTokens, false)), product};
}

/// Forward attention as products, scaling, mask and softmax, each through memory.
void plant_unfused_attention(Program& program) {
  const auto is_forward = [](const Kernel& k) { return k.name.contains("flash_fwd"); };
  replace_kernels(program, is_forward, [](Program& of, const Kernel&) { return parts_of(of); });
}

}  // namespace
}  // namespace unfused_attention

extern const Plant unfused_attention_plant;
const Plant unfused_attention_plant = {
    "unfused_attention", "forward attention runs as separate matrix, scaling, mask and softmax kernels",
    "in each attention module", "--plant unfused_attention", &unfused_attention::plant_unfused_attention};

}  // namespace sonde::synth
