#include "findings/evidence/faster_kernels.h"
#include "trace/columns.h"

/// Matrix products in float32 on a GPU whose tensor cores stand idle meanwhile. The ceiling takes the ratio of the peak
/// rates: the matrices may be bound by memory before.
namespace sonde {
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

}  // namespace

extern const Rule float32_matmul_rule;
const Rule float32_matmul_rule{"float32_matmul", "matrix products in float32 where tensor cores stand idle",
                               kFasterKernelsFields, kFasterKernelsChecks, &judge};

}  // namespace sonde
