#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/cupti/library.h"

/// CUPTI's range profiler and the host functions that go with it, CUDA 12.6 and later: its types under names of our
/// own. Layouts are those of cupti_range_profiler.h, cupti_profiler_host.h, cupti_profiler_target.h and cupti_target.h
/// of CUDA 13.0. Each function takes one structure, which begins with its size up to the last field that the caller
/// knows.
namespace sonde::inject::metrics {

using cupti::Result;

/// What CUPTI gives beside cupti::Result (cupti_result.h).
inline constexpr auto kUnknownMetric = static_cast<Result>(17);

struct InitializeParams {
  size_t size = sizeof(InitializeParams);
  void* reserved = nullptr;
};

struct ChipNameParams {
  size_t size = sizeof(ChipNameParams);
  void* reserved = nullptr;
  size_t device = 0;
  const char* name = nullptr;
};

struct AvailabilityParams {
  size_t size = sizeof(AvailabilityParams);
  void* reserved = nullptr;
  void* context = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct HostInitializeParams {
  size_t size = sizeof(HostInitializeParams);
  void* reserved = nullptr;
  uint32_t profiler = 0;  ///< CUPTI_PROFILER_TYPE_RANGE_PROFILER
  const char* chip = nullptr;
  const uint8_t* availability = nullptr;
  void* host = nullptr;
};

struct HostDeinitializeParams {
  size_t size = sizeof(HostDeinitializeParams);
  void* reserved = nullptr;
  void* host = nullptr;
};

struct BaseMetricsParams {
  size_t size = sizeof(BaseMetricsParams);
  void* reserved = nullptr;
  void* host = nullptr;
  uint32_t type = 0;  ///< counter, ratio, throughput
  const char** names = nullptr;
  size_t count = 0;
};

struct MetricPropertiesParams {
  size_t size = offsetof(MetricPropertiesParams, type) + sizeof(uint32_t);
  void* reserved = nullptr;
  void* host = nullptr;
  const char* metric = nullptr;
  const char* description = nullptr;
  const char* hardware_unit = nullptr;
  const char* dimension = nullptr;
  uint32_t type = 0;
};

struct AddMetricsParams {
  size_t size = sizeof(AddMetricsParams);
  void* reserved = nullptr;
  void* host = nullptr;
  const char** names = nullptr;
  size_t count = 0;
};

struct ConfigSizeParams {
  size_t size = sizeof(ConfigSizeParams);
  void* reserved = nullptr;
  void* host = nullptr;
  size_t bytes = 0;
};

struct ConfigImageParams {
  size_t size = sizeof(ConfigImageParams);
  void* reserved = nullptr;
  void* host = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct PassesParams {
  size_t size = sizeof(PassesParams);
  void* reserved = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
  size_t passes = 0;
};

struct EvaluateParams {
  size_t size = sizeof(EvaluateParams);
  void* reserved = nullptr;
  void* host = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t range = 0;
  const char** names = nullptr;
  size_t count = 0;
  double* values = nullptr;
};

struct EnableParams {
  size_t size = sizeof(EnableParams);
  void* reserved = nullptr;
  void* context = nullptr;
  void* profiler = nullptr;
};

/// Of cuptiRangeProfilerStart, and cuptiRangeProfilerDisable.
struct ProfilerParams {
  size_t size = sizeof(ProfilerParams);
  void* reserved = nullptr;
  void* profiler = nullptr;
};

struct SetConfigParams {
  size_t size = offsetof(SetConfigParams, target_level) + sizeof(uint16_t);
  void* reserved = nullptr;
  void* profiler = nullptr;
  size_t config_bytes = 0;
  const uint8_t* config = nullptr;
  size_t counter_bytes = 0;
  uint8_t* counters = nullptr;
  uint32_t range_mode = 1;   ///< CUPTI_AutoRange
  uint32_t replay_mode = 2;  ///< CUPTI_KernelReplay
  size_t most_ranges = 1;
  uint16_t nesting_levels = 1;
  uint16_t first_level = 1;
  size_t pass = 0;
  uint16_t target_level = 0;
};

struct StopParams {
  size_t size = offsetof(StopParams, all_submitted) + sizeof(uint8_t);
  void* reserved = nullptr;
  void* profiler = nullptr;
  size_t pass = 0;
  size_t level = 0;
  uint8_t all_submitted = 0;
};

struct DecodeParams {
  size_t size = sizeof(DecodeParams);
  void* reserved = nullptr;
  void* profiler = nullptr;
  size_t dropped = 0;
};

struct CounterSizeParams {
  size_t size = sizeof(CounterSizeParams);
  void* reserved = nullptr;
  void* profiler = nullptr;
  const char** names = nullptr;
  size_t count = 0;
  size_t most_ranges = 1;
  uint32_t most_nodes = 1;
  size_t bytes = 0;
};

struct CounterImageParams {
  size_t size = sizeof(CounterImageParams);
  void* reserved = nullptr;
  void* profiler = nullptr;
  size_t bytes = 0;
  uint8_t* image = nullptr;
};

struct CounterInfoParams {
  size_t size = sizeof(CounterInfoParams);
  void* reserved = nullptr;
  const uint8_t* image = nullptr;
  size_t bytes = 0;
  size_t ranges = 0;
};

struct Profiler {
  const cupti::Library* library = nullptr;
// NOLINTNEXTLINE(bugprone-macro-parentheses): the parameter is a type.
#define SONDE_PROFILER(member, symbol, parameters) Guarded<Result(parameters*)> member;
#include "inject/metrics/profiler.inc"
};

/// The functions of a CUPTI. The name of the first that it lacks; null where it has them all.
[[nodiscard]] const char* find_functions(Profiler& profiler, const cupti::Library& library) noexcept;

}  // namespace sonde::inject::metrics
