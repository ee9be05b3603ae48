#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "trace/entities.h"

namespace sonde {

/// How the units of a GPU multiply.
enum class MathPrecision : uint8_t { unknown, fp64, fp32, tf32_three, tf32, fp16, bf16, fp8, int8 };

/// "BF16". `tf32_three` are products of float32 numbers from three of TF32 each (CUTLASS' OpMultiplyAddFastF32).
[[nodiscard]] std::string_view precision_name(MathPrecision precision);

/// What a GPU can do, by its maker's data sheet: dense work at boost clock. 0 where the sheet says nothing.
struct GpuPeaks {
  std::string_view name;
  int64_t sm_count;  ///< 0: not checked
  double fp64_tflops;
  double fp32_tflops;
  double tf32_tflops;
  double fp16_tflops;
  double fp8_tflops;
  double int8_tops;
  double memory_gb_per_s;
  std::string_view source;

  /// Operations a second; absent where the GPU does not have the precision.
  [[nodiscard]] std::optional<double> flop_per_second(MathPrecision precision) const;
  /// The same of the fastest product of matrices that was measured, where one was.
  [[nodiscard]] std::optional<double> attainable_flop_per_second(MathPrecision precision) const;
  [[nodiscard]] double bytes_per_second() const { return memory_gb_per_s * 1e9; }
};

[[nodiscard]] std::span<const GpuPeaks> all_gpu_peaks();

/// By the device's name, and its number of SMs where the recording has that: part of a GPU (MIG) is another GPU.
/// nullptr for one that the table lacks.
[[nodiscard]] const GpuPeaks* gpu_peaks(const Device& device);

}  // namespace sonde
