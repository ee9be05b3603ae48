#include <array>

#include <fmt/format.h>

#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Matrix products in float32 on a GPU whose tensor cores are idle in that time. The ceiling uses the ratio of the peak
/// rates. Memory may limit the matrix products before that.
namespace sonde {
namespace float32_matmul_finding {
namespace {

/// Peak rate of dense tensor cores over that of float32 without them (NVIDIA's architecture papers): TF32 where the GPU
/// has it at more than half of bfloat16's gain, else half precision.
int64_t tensor_gain(int64_t major, int64_t minor) {
  if (major < 7) return 1;
  if (major == 8 && minor != 0) return 4;  // GA10x and AD10x: their float32 rate is doubled
  if (major >= 12) return 2;
  return 8;
}

void judge(const Facts& facts, Diagnosis& diagnosis) {
  const Kernels& k = facts.trace.kernels;
  FasterKernels faster;
  bool unknown_gpu = false;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row]) || facts.kernel_classes[row] != KernelClass::matrix_float32) continue;
    const DeviceId device = facts.trace.streams[k.stream[row]].device;
    if (device == kNone || !facts.trace.devices[device].compute_major) {
      unknown_gpu = true;
      continue;
    }
    const Device& gpu = facts.trace.devices[device];
    const int64_t gain = tensor_gain(gpu.compute_major.value_or(0), gpu.compute_minor.value_or(0));
    if (gain > 1) faster.add(facts, row, (k.end[row] - k.start[row]) / gain);
  }
  if (unknown_gpu) diagnosis.abstentions.push_back({"float32_matmul", "float32_matmul.unknown_gpu", {}});
  add_faster_kernels(facts, "float32_matmul", faster, {}, diagnosis);
}

constexpr auto kTexts = std::to_array<CatalogueText>({
    {"float32_matmul.says", "Matrix products in float32 take {time} while the tensor cores are idle: {most}."},
    {"float32_matmul.do",
     "Use TF32 (torch.set_float32_matmul_precision(\"high\"), torch.backends.cudnn.allow_tf32, "
     "CUBLAS_COMPUTE_32F_FAST_TF32) or mixed precision (torch.autocast), and check the accuracy."},
    {"float32_matmul.unknown_gpu.says",
     "matrix products run in float32, but the profile does not contain the GPU's compute capability, so the gain "
     "from tensor cores is unknown"},
});

std::vector<FindingDoc> docs() {
  return {FindingDoc{
      .ids = {"float32_matmul"},
      .reports =
          "Matrix products, identified by the kernel's name, run in float32 without the tensor cores of the GPU.",
      .when = fmt::format("Such kernels take at least {} % of the judged time.", kWorthPercent),
      .not_when =
          "Kernels with unknown names do not count. No conclusion is drawn if the file does not describe the GPU.",
      .ceiling = fmt::format(
          "Replay with the ratio of the peak rates: {} (compute capability 7, 8.0, and 9 to 11), {} (8.1 to "
          "8.9), {} (12 and later).",
          tensor_gain(8, 0), tensor_gain(8, 6), tensor_gain(12, 0)),
      .evidence = "The kernels that lose the most time."}};
}

}  // namespace
}  // namespace float32_matmul_finding

extern const Rule float32_matmul_rule;
const Rule float32_matmul_rule{.name = "float32_matmul",
                               .description = "matrix products in float32 while the tensor cores are idle",
                               .fields = kFasterKernelsFields,
                               .checks = kFasterKernelsChecks,
                               .judge = &float32_matmul_finding::judge,
                               .texts = float32_matmul_finding::kTexts,
                               .docs = &float32_matmul_finding::docs,
                               .saves = Saves::gpu_work};

}  // namespace sonde
