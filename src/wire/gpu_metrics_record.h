#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/record.h"

/// GPU metrics over time: records of kinds 90 to 99. Numbers of devices are CUDA's, of their process; times are
/// CLOCK_MONOTONIC in nanoseconds.
namespace sonde::wire {

/// State of sampling in a process.
enum class SamplingState : uint32_t {
  no_cupti,      ///< text: why
  too_old,       ///< CUPTI has no PM sampling; `result` is its version, text: the function that it lacks
  no_device,     ///< a GPU that was asked for is not there
  unsupported,   ///< CUPTI does not sample this chip; text: its name
  denied,        ///< the counters are for administrators only
  in_use,        ///< another tool has them
  nothing_fits,  ///< the chip has none of the metrics
  failed,        ///< text: the function, and what CUPTI said; `result`: its number
  unknown,       ///< text: a metric that the chip has not
  left_out,      ///< text: a metric that does not fit into one pass beside the others
  no_gpu,        ///< `result`: what cuInit() gave
  count_
};

/// Followed by its text.
struct SamplingStateBody {
  SamplingState state;
  int32_t result;
  uint32_t device;  ///< kNoGpu where it is of none
  uint16_t text_bytes;
  uint16_t reserved;
};
static_assert(sizeof(SamplingStateBody) == 16);
inline constexpr uint32_t kNoGpu = 0xFFFFFFFF;

/// A GPU that is sampled from now on. Followed by its text: the chip's name.
struct SampledGpuBody {
  uint32_t device;
  uint16_t text_bytes;
  uint16_t metrics;
  uint64_t interval;  ///< nanoseconds, or cycles of the SYS clock
  uint32_t is_cycles;
  uint32_t reserved;
  uint8_t uuid[16];
};
static_assert(sizeof(SampledGpuBody) == 40);

/// Followed by its text: the name that is shown.
struct SampledMetricBody {
  uint32_t device;
  uint16_t text_bytes;
  uint16_t place;  ///< among the values of a sample
};
static_assert(sizeof(SampledMetricBody) == 8);

/// Followed by `count` doubles; NaN where the GPU gave none.
struct SampleBody {
  int64_t start;
  int64_t end;
  uint32_t device;
  uint32_t count;
};
static_assert(sizeof(SampleBody) == 24);

/// What was counted of a GPU until now; each replaces the one before it.
struct SamplingTallyBody {
  uint64_t samples;   ///< decoded
  uint64_t timeless;  ///< without times, left out
  uint64_t overflows;
  uint64_t full_images;    ///< decodes that had no room for all samples; those are lost
  int64_t busy_ns;         ///< decoding and evaluating, on a thread of Sonde's
  uint64_t unread;         ///< samples, or decodes as a whole, that CUPTI would not read or evaluate
  uint64_t misplaced;      ///< samples whose times lie outside of the time in which they were taken; left out
  int64_t clock_error_ns;  ///< how exactly CUPTI's clock is known; 0 where it uses ours
  uint32_t device;
  uint32_t reserved;
};
static_assert(sizeof(SamplingTallyBody) == 72);

inline constexpr uint32_t kMaxSampledMetrics = 128;  ///< of a GPU

constexpr bool is_gpu_metrics_record(Kind kind) { return kind >= Kind::sampling_state && kind <= Kind::sampling_tally; }
/// Whether the bytes behind the head are a record of that kind. `text_bytes`: of its end.
[[nodiscard]] bool is_whole_gpu_metrics_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

}  // namespace sonde::wire
