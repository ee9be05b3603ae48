#include "synth/kernels.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::synth {
namespace {

/// 420 of the 990 TFLOP/s of bfloat16: what cuBLAS reaches at these sizes.
constexpr int64_t kGemmFlopsPerNs = 420'000;
constexpr int64_t kAttentionFlopsPerNs = 260'000;
/// 2.6 of 3.35 TB/s.
constexpr int64_t kBytesPerNs = 2600;
/// NVLink, as NCCL's bus bandwidth counts it.
constexpr int64_t kBusBytesPerNs = 180;
/// No kernel is over sooner: start and end of its blocks.
constexpr int64_t kFloorNs = 1700;
constexpr int64_t kElementBytes = 2;

uint32_t blocks(int64_t work, int64_t per_block) {
  return static_cast<uint32_t>(std::max<int64_t>(1, (work + per_block - 1) / per_block));
}

/// As a compiler would name it, without the arguments' types.
std::string mangled(const std::string& short_name) { return fmt::format("_Z{}{}", short_name.size(), short_name); }

Kernel make(std::string name, std::string short_name, int64_t duration_ns, int64_t dram_percent) {
  Kernel k;
  k.mangled_name = mangled(short_name);
  k.name = std::move(name);
  k.short_name = std::move(short_name);
  k.duration_ns = kFloorNs + duration_ns;
  k.dram_percent = dram_percent;
  return k;
}

}  // namespace

Kernel gemm_kernel(int64_t m, int64_t n, int64_t k) {
  const int64_t tile = n >= 4096 ? 256 : 128;
  const std::string name = fmt::format(
      "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize{}x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
      "cublas",
      tile);
  Kernel kernel = make(name, name, 2 * m * n * k / kGemmFlopsPerNs, 35);
  kernel.mangled_name = name;
  kernel.grid = {blocks(m, 128), blocks(n, tile), 1};
  kernel.block = {384, 1, 1};
  kernel.registers = 168;
  kernel.dynamic_shared_bytes = 198656;
  return kernel;
}

Kernel attention_kernel(bool backward) {
  constexpr int64_t kForwardFlops = int64_t{4} * 8 * 16 * 512 * 512 * 64;
  const char* pass = backward ? "bwd" : "fwd";
  Kernel k =
      make(fmt::format("void flash_{0}_kernel<Flash_{0}_kernel_traits<64, 128, 128, 4>, false, true>"
                       "(Flash_{0}_params)",
                       pass),
           fmt::format("flash_{}_kernel", pass), kForwardFlops * (backward ? 5 : 2) / 2 / kAttentionFlopsPerNs, 20);
  k.grid = {4, 8, 16};
  k.block = {128, 1, 1};
  k.registers = 254;
  k.dynamic_shared_bytes = 98304;
  return k;
}

Kernel elementwise_kernel(const std::string& functor, int64_t elements, int64_t tensors) {
  Kernel k =
      make(fmt::format("void at::native::vectorized_elementwise_kernel<4, at::native::{}_functor<c10::BFloat16>, "
                       "std::array<char *, {}>>(int, T2, T3)",
                       functor, tensors),
           "vectorized_elementwise_kernel", elements * kElementBytes * tensors / kBytesPerNs, 78);
  k.grid = {blocks(elements, 512), 1, 1};
  k.block = {128, 1, 1};
  k.registers = 24;
  k.elementwise = true;
  return k;
}

Kernel norm_kernel(int64_t rows, int64_t columns, bool backward) {
  const std::string short_name = backward ? "layer_norm_grad_input_kernel_vectorized" : "vectorized_layer_norm_kernel";
  Kernel k =
      make(fmt::format("void at::native::<unnamed>::{}<c10::BFloat16, float>(int, T2, const T1 *, T1 *)", short_name),
           short_name, rows * columns * kElementBytes * (backward ? 3 : 2) / kBytesPerNs, 70);
  k.grid = {blocks(rows, 1), 1, 1};
  k.block = {32, 4, 1};
  k.registers = 40;
  k.static_shared_bytes = 24;
  return k;
}

Kernel softmax_kernel(int64_t rows, int64_t columns, bool backward) {
  const std::string short_name = backward ? "cunn_SoftMaxBackward" : "cunn_SoftMaxForward";
  Kernel k =
      make(fmt::format("void at::native::<unnamed>::{}<8, c10::BFloat16, float>(T2 *, const T2 *, int)", short_name),
           short_name, rows * columns * kElementBytes * (backward ? 3 : 2) / kBytesPerNs, 74);
  k.grid = {blocks(rows, 1), 1, 1};
  k.block = {1024, 1, 1};
  k.registers = 32;
  k.static_shared_bytes = 128;
  return k;
}

Kernel optimizer_kernel(int64_t parameters) {
  constexpr int64_t kBytesPerParameter = 20;  // gradient, weight and two moments read, three of them written
  Kernel k = make(
      "void at::native::<unnamed>::multi_tensor_apply_kernel<at::native::<unnamed>::TensorListMetadata<4>, "
      "at::native::<unnamed>::FusedAdamMathFunctor<float, 4>>(T1, T2)",
      "multi_tensor_apply_kernel", parameters * kBytesPerParameter / kBytesPerNs, 80);
  k.grid = {blocks(parameters, 65536), 1, 1};
  k.block = {512, 1, 1};
  k.registers = 48;
  return k;
}

Kernel allreduce_kernel(int64_t bytes, int gpus) {
  constexpr int64_t kLatencyNs = 14'000;
  const int64_t moved = bytes * 2 * (gpus - 1) / gpus;
  Kernel k = make("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                  "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", kLatencyNs + moved / kBusBytesPerNs, 25);
  k.grid = {24, 1, 1};
  k.block = {544, 1, 1};
  k.registers = 96;
  k.dynamic_shared_bytes = 82224;
  return k;
}

}  // namespace sonde::synth
