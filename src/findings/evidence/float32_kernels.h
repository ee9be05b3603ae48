#pragma once

#include <map>

#include "analyses/operators/gpu_peaks.h"
#include "findings/facts.h"

/// Kernels that compute with float32 numbers, and the least time that they take with 16-bit ones.
namespace sonde {

inline constexpr Fields kFloat32Fields = kOperatorFields;

enum class Float32Kind : uint8_t {
  none,
  product,       ///< matrix product or convolution, without tensor cores
  tf32_product,  ///< the same in TF32
  attention,     ///< in one kernel
  other,         ///< norms, elementwise kernels, copies and others that memory limits
};

/// "products in float32"
[[nodiscard]] std::string_view kind_name(Float32Kind kind);

/// By the shapes and types of PyTorch's operators where they were recorded, else by the kernels' names.
class Float32Kernels {
 public:
  explicit Float32Kernels(const Facts& facts);

  [[nodiscard]] Float32Kind kind(Row kernel);
  /// The most optimistic time of a kernel in bfloat16, or in float16 if the GPU lacks that. Its operator then takes the
  /// longer of FLOP and half of the bytes at the GPU's peaks, and at most half of its time: smaller tensors can fit the
  /// cache. Without shapes the ratio of the peaks decides. Absent if the GPU is not known.
  [[nodiscard]] std::optional<int64_t> least_ns(Row kernel);

 private:
  struct Gpu {
    const GpuPeaks* peaks = nullptr;
    double product_gain = 0;  ///< of 16-bit numbers over float32 without tensor cores; 0: not known
  };
  [[nodiscard]] static Gpu gpu_of(const Device& device);
  [[nodiscard]] Float32Kind kind_of_name(NameId name, KernelClass kernel);
  [[nodiscard]] Float32Kind kind_of_shape(Row kernel, uint32_t shape);
  [[nodiscard]] Gpu gpu(Row kernel) const;
  /// Of its time; absent where the operator does not determine it.
  [[nodiscard]] MaybeAmount part_by_work(Row kernel) const;
  [[nodiscard]] MaybeAmount part_by_ratio(Row kernel);

  const Facts& facts_;
  const OperatorCalls& operators_;
  std::vector<Gpu> gpus_;  ///< of each device
  std::map<NameId, Float32Kind> by_name_;
  std::vector<std::optional<NumberFormat>> formats_;  ///< of each shape, once asked for
};

}  // namespace sonde
