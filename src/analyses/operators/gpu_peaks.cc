#include "analyses/operators/gpu_peaks.h"

#include <algorithm>
#include <array>

namespace sonde {
namespace {

constexpr auto kGpuPeaks = std::to_array<GpuPeaks>({
#define SONDE_GPU_PEAKS(...) GpuPeaks{__VA_ARGS__},
#include "analyses/operators/gpu_peaks.inc"
#undef SONDE_GPU_PEAKS
});

struct Attainable {
  std::string_view gpu;
  MathPrecision precision;
  double tflops;
  std::string_view source;
};

constexpr auto kAttainable = std::to_array<Attainable>({
#define SONDE_GPU_ATTAINABLE(gpu, precision, tflops, source) {gpu, MathPrecision::precision, tflops, source},
#include "analyses/operators/gpu_attainable.inc"
#undef SONDE_GPU_ATTAINABLE
});

/// "NVIDIA GeForce RTX 4090" and "AMD Instinct MI300X VF" by their models alone.
std::string_view model_of(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "AMD ", "Tesla ", "GeForce ", "Instinct "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  if (name.ends_with(" VF")) name.remove_suffix(3);
  return name;
}

}  // namespace

std::string_view precision_name(MathPrecision precision) {
  switch (precision) {
    case MathPrecision::fp64: return "FP64";
    case MathPrecision::fp32: return "FP32";
    case MathPrecision::tf32_three: return "3xTF32";
    case MathPrecision::tf32: return "TF32";
    case MathPrecision::fp16: return "FP16";
    case MathPrecision::bf16: return "BF16";
    case MathPrecision::fp8: return "FP8";
    case MathPrecision::int8: return "INT8";
    case MathPrecision::unknown: break;
  }
  return {};
}

std::optional<double> GpuPeaks::flop_per_second(MathPrecision precision) const {
  double tflops = 0;
  switch (precision) {
    case MathPrecision::fp64: tflops = fp64_tflops; break;
    case MathPrecision::fp32: tflops = fp32_tflops; break;
    case MathPrecision::tf32_three: tflops = tf32_tflops / 3; break;
    case MathPrecision::tf32: tflops = tf32_tflops; break;
    case MathPrecision::fp16: tflops = fp16_tflops; break;
    // Volta and Turing have no bfloat16; MI250X has it without TF32.
    case MathPrecision::bf16: tflops = tf32_tflops > 0 || name == "MI250X" ? fp16_tflops : 0; break;
    case MathPrecision::fp8: tflops = fp8_tflops; break;
    case MathPrecision::int8: tflops = int8_tops; break;
    case MathPrecision::unknown: break;
  }
  return tflops > 0 ? std::optional(tflops * 1e12) : std::nullopt;
}

std::optional<double> GpuPeaks::attainable_flop_per_second(MathPrecision precision) const {
  const auto* const found =
      std::ranges::find_if(kAttainable, [&](const Attainable& a) { return a.gpu == name && a.precision == precision; });
  return found == kAttainable.end() ? std::nullopt : std::optional(found->tflops * 1e12);
}

std::span<const GpuPeaks> all_gpu_peaks() { return kGpuPeaks; }

const GpuPeaks* gpu_peaks(const Device& device) {
  const auto* const found = std::ranges::find(kGpuPeaks, model_of(device.name), &GpuPeaks::name);
  if (found == kGpuPeaks.end()) return nullptr;
  const bool whole = found->sm_count == 0 || device.sm_count.value_or(found->sm_count) == found->sm_count;
  return whole ? found : nullptr;
}

}  // namespace sonde
