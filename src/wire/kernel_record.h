#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/record.h"

/// What is recorded of kernels whose counters were measured: records of kinds 60 to 79.
namespace sonde::wire {

/// State of measuring in a process.
enum class MeasureState : uint32_t {
  ready,           ///< `result` is CUPTI's version
  no_cupti,        ///< text: why
  too_old,         ///< `result`: CUPTI's version; it has no range profiler. text: the function that it lacks
  no_settings,     ///< what to measure could not be read
  failed,          ///< text: the function, `result`: what it gave
  unknown_metric,  ///< text: the metric, which the chip has not
  near_metric,     ///< text: one that it has, of the unknown metric before
  refused_metric,  ///< text: the metric, which CUPTI cannot measure beside the others
  passes,          ///< `result`: how often each kernel runs
  graphs,          ///< graphs were launched, whose kernels are not measured
  captured,        ///< kernels were launched into a graph that is being captured
  collective,      ///< text: the first kernel that is not run again since it waits for others; of NCCL or the like
  waited,          ///< `result`: launches until now that were not measured since another thread's took too long
  given_up,        ///< `result`: as of waited; nothing more is measured
  empty,           ///< a launch came back without values
  contexts,        ///< more CUDA contexts than can be measured in
  kinds,           ///< more different launches than can be distinguished
  no_gpu,          ///< `result`: what cuInit() gave
  ranges,          ///< more start/end ranges that were asked for are open than can be kept in mind
  count_
};

/// Followed by its text.
struct MeasureStateBody {
  MeasureState state;
  int32_t result;
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(MeasureStateBody) == 16);

/// Of a GPU: a CUdevice_attribute and its value.
struct DeviceAttributeBody {
  uint32_t device;  ///< CUDA's number
  uint32_t attribute;
  int64_t value;
};
static_assert(sizeof(DeviceAttributeBody) == 16);

/// Followed by its text: the device's name where `level` is 0, the chip's where it is 1.
struct DeviceTextBody {
  uint32_t device;
  uint16_t text_bytes;
  uint16_t reserved;
};
static_assert(sizeof(DeviceTextBody) == 8);

/// A number that the driver did not tell.
inline constexpr uint32_t kNotGiven = 0xFFFFFFFF;

/// Followed by its text: the kernel's mangled name. `time` is that of the launch.
struct MeasuredKernelBody {
  uint64_t id;  ///< unique in its process, from 0 on
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t registers;  ///< of a thread
  uint32_t static_shared_bytes;
  uint32_t dynamic_shared_bytes;
  uint32_t local_bytes;  ///< of a thread
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint16_t text_bytes;
  uint16_t reserved;
};
static_assert(sizeof(MeasuredKernelBody) == 64);

/// Followed by `count` MetricPart.
struct MetricValuesBody {
  uint64_t id;  ///< of the kernel
  uint32_t count;
  uint32_t reserved;
};
struct MetricPart {
  uint32_t metric;  ///< its place in the list of what was asked for
  uint32_t reserved;
  double value;
};
static_assert(sizeof(MetricValuesBody) == 16 && sizeof(MetricPart) == 16);

inline constexpr uint32_t kMaxMetricParts = 256;  ///< of a record

/// Environment of a recorded program: the file of what is to be measured, lines of "KEY VALUE": kernel (an extended
/// regular expression of POSIX), skip, count, each (launches of a function with one shape in one place), metric (one
/// line each, in the order of their places), listed ("PLACE FUNCTION", the place of place.h in hexadecimal, or "*"
/// for any: nothing else is measured; empty for an empty list). Ranges around launches, 16 at most, of 32 elements
/// together: include or exclude ("start" for start/end ranges, all of which must be open; "push" for push/pop ranges
/// that lie directly in one another, "[" behind it: the first is the outermost, "]": the last is the innermost), then
/// domain or domain_regex where it is not the default one, then name, regex (of a name), one (any range) or any (any
/// number of ranges), with an empty value. samples ("1": where the kernels are is sampled too), period (a sample each
/// 2^N cycles), instructions ("1": how often each instruction of the kernels ran is counted too).
inline constexpr const char* kMeasureVariable = "SONDE_RECORD_METRICS";

constexpr bool is_kernel_record(Kind kind) { return kind >= Kind::measure_state && kind <= Kind::metric_values; }
/// Whether the bytes behind the head are a record of that kind. `text_bytes`: of its end.
[[nodiscard]] bool is_whole_kernel_record(Kind kind, std::span<const std::byte> body, uint16_t& text_bytes);

}  // namespace sonde::wire
