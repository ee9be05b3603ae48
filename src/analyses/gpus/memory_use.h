#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "analyses/tables/linear_trend.h"
#include "trace/trace.h"

namespace sonde {

/// Where allocated memory lies. Nsight's arrays and static variables of a device count as device memory.
enum class MemoryPlace : uint8_t { device, managed, pinned, pageable, host };

[[nodiscard]] std::string_view name_of(MemoryPlace place);

/// Whose memory stands together.
enum class MemoryScope : uint8_t {
  gpu,          ///< that of all processes on a GPU; of a rank for memory of the host
  per_process,  ///< each process' own
};

/// Bytes in use over time in one place.
struct MemoryUse {
  RankId rank = 0;
  ProcessId process = kNone;  ///< with MemoryScope::per_process
  MemoryPlace place = MemoryPlace::device;
  DeviceId device = kNone;  ///< kNone for memory of the host, and where the file does not describe the GPU
  int32_t ordinal = -1;     ///< CUDA's number of the GPU; -1 for memory of the host
  std::string gpu;          ///< which GPU of which rank: "GPU 0", "rank 1 GPU 0"; empty for memory of the host

  int64_t start_bytes = 0;   ///< in use before the first event, as far as the events tell
  Times time;                ///< of each event, ascending
  Longs bytes;               ///< in use after it
  std::vector<Row> row;      ///< of `allocations`
  int64_t allocations = 0;   ///< events
  int64_t releases = 0;      ///< events
  int64_t not_released = 0;  ///< allocations that no release with their address follows; kUnknown without addresses
  int64_t not_released_bytes = 0;
  int64_t peak_reserved_bytes = kUnknown;  ///< the most that a framework's allocator held from the driver

  /// In use after all events up to `time`, that moment included.
  [[nodiscard]] int64_t at(int64_t time_ns) const;
};

/// A highest level and when it was reached first.
struct MemoryPeak {
  int64_t bytes = 0;
  int64_t time_ns = kUnknown;  ///< kUnknown where it held from before the first event on
};

/// Bytes in use in each place, GPUs first. An allocator's running total counts where events carry one; without, what is
/// released and was not seen to be allocated was in use from the start, and anything else from before the recording is
/// not in the numbers. A release without a size has that of the allocation at its address. Needs Field::allocations
/// and, to know GPUs of different processes for the same, Field::streams with kGpuWork.
[[nodiscard]] std::vector<MemoryUse> memory_uses(const Trace& trace, MemoryScope scope = MemoryScope::gpu);

[[nodiscard]] MemoryPeak peak_of(const MemoryUse& use);

/// Growth from the end of one span to the end of the next.
[[nodiscard]] LinearTrend growth_per_step(const MemoryUse& use, std::span<const Span> steps);

/// Answers for the highest level within any span, each in O(log n).
class MemoryPeaks {
 public:
  explicit MemoryPeaks(const MemoryUse& use);
  /// The most in use at any moment of [first, second], both included.
  [[nodiscard]] int64_t within(Span span) const;

 private:
  const MemoryUse& use_;
  Longs highest_;  ///< a heap: node i has the higher of nodes 2i and 2i + 1, the leaves are the levels
};

}  // namespace sonde
