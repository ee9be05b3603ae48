#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/metrics/profiler.h"

/// CUPTI's PM sampling, CUDA 12.6 and later: its types under names of our own. Layouts are those of cupti_pmsampling.h
/// of CUDA 13.0. Each function takes one structure, which begins with its size up to the last field that the caller
/// knows.
namespace sonde::inject::gpu_metrics {

using cupti::Result;

/// What CUPTI gives beside cupti::Result (cupti_result.h), as far as it is distinguished here.
inline constexpr auto kInvalidOperation = static_cast<Result>(7);
inline constexpr auto kOutOfMemory = static_cast<Result>(8);

inline constexpr uint32_t kPmSamplingProfiler = 1;  // CUPTI_PROFILER_TYPE_PM_SAMPLING

struct AvailabilityParams {
  size_t size = sizeof(AvailabilityParams);
  void* reserved = nullptr;
  size_t device = 0;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct EnableParams {
  size_t size = sizeof(EnableParams);
  void* reserved = nullptr;
  size_t device = 0;
  void* sampler = nullptr;
};

/// Of cuptiPmSamplingStart, Stop and Disable.
struct SamplerParams {
  size_t size = sizeof(SamplerParams);
  void* reserved = nullptr;
  void* sampler = nullptr;
};

enum class Trigger : uint32_t { sys_clock = 0, time = 1 };

struct SetConfigParams {
  size_t size = sizeof(SetConfigParams);
  void* reserved = nullptr;
  void* sampler = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t hardware_bytes = 0;
  uint64_t interval = 0;  ///< cycles or nanoseconds
  Trigger trigger = Trigger::time;
  uint32_t append_mode = 0;  ///< KEEP_OLDEST, which says when the buffer was full
};

struct DecodeParams {
  size_t size = offsetof(DecodeParams, overflow) + sizeof(uint8_t);
  void* reserved = nullptr;
  void* sampler = nullptr;
  uint8_t* image = nullptr;
  size_t bytes = 0;
  uint32_t stop_reason = 0;
  uint8_t overflow = 0;
};
inline constexpr uint32_t kImageFull = 1;  // CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL

struct ImageSizeParams {
  size_t size = sizeof(ImageSizeParams);
  void* reserved = nullptr;
  void* sampler = nullptr;
  const char** names = nullptr;
  size_t count = 0;
  uint32_t most_samples = 0;
  size_t bytes = 0;
};

struct ImageParams {
  size_t size = sizeof(ImageParams);
  void* reserved = nullptr;
  void* sampler = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct ImageInfoParams {
  size_t size = sizeof(ImageInfoParams);
  void* reserved = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t total = 0;
  size_t populated = 0;
  size_t completed = 0;
};

struct SampleInfoParams {
  size_t size = sizeof(SampleInfoParams);
  void* reserved = nullptr;
  void* sampler = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t sample = 0;
  uint64_t start = 0;
  uint64_t end = 0;
};

struct PmSampling {
  const cupti::Library* library = nullptr;
#define SONDE_PM_SAMPLING(member, symbol, ...) Guarded<Result(__VA_ARGS__)> member;
#include "inject/gpu_metrics/pm_sampling.inc"
};

/// The functions of a CUPTI. The name of the first that it lacks; null where it has them all.
[[nodiscard]] const char* find_functions(PmSampling& sampling, const cupti::Library& library) noexcept;

}  // namespace sonde::inject::gpu_metrics
