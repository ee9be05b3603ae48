#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyses/memory/memory_peak.h"
#include "analyses/steps/warm_up.h"
#include "analyses/tables/distribution.h"
#include "trace/trace.h"

namespace sonde {

/// Copies of one direction on one GPU.
struct CopySummary {
  std::string direction;  ///< "Host-to-Device"
  int64_t count = 0;
  std::optional<int64_t> bytes;  ///< absent where no copy tells
  int64_t time_ns = 0;           ///< sum of durations
  /// bytes / time_ns; absent without bytes and for copies that took no time
  [[nodiscard]] std::optional<double> bytes_per_s() const;
};

struct GpuSummary {
  std::string name;  ///< empty where the file does not describe the device
  RankId rank = 0;
  int32_t ordinal = 0;    ///< CUDA's number of it in its process
  std::string place;      ///< which device of which process or rank: "GPU 0", "rank 1 GPU 0"
  int64_t busy_ns = 0;    ///< union of kernels, copies, sets and graph launches
  int64_t kernel_ns = 0;  ///< union of kernels and graph launches
  int64_t copy_ns = 0;    ///< union of copies
  int64_t set_ns = 0;     ///< union of memsets
  int64_t idle_ns = 0;    ///< RunSummary::working_ns() less busy_ns
  int64_t first_ns = 0;   ///< start of its first operation
  int64_t last_ns = 0;    ///< end of its last
  int64_t kernels = 0;
  int64_t sets = 0;
  int64_t graph_launches = 0;
  std::vector<CopySummary> copies;  ///< by time, longest first
};

/// One name and the figures of its occurrences.
struct NamedSummary {
  std::string_view name;
  Distribution time;
};

/// The run on one screen. Absent figures were not collected.
struct RunSummary {
  int64_t start_ns = 0;   ///< first event (GPU work, API calls, ranges, synchronizations, OS and library calls)
  int64_t total_ns = 0;   ///< from there to the end of the last
  int64_t set_up_ns = 0;  ///< before the first GPU work; 0 without GPU work
  int64_t after_ns = 0;   ///< after the last
  std::vector<GpuSummary> gpus;
  std::optional<Distribution> kernel_time;     ///< of all kernels, of a kernel report of all launches
  std::vector<NamedSummary> kernels;           ///< by name, by total time
  std::vector<NamedSummary> api_calls;         ///< by name, by total time
  std::optional<Distribution> launch_latency;  ///< from the start of the launching call to the start of the kernel
  std::optional<WarmUp> warm_up;
  std::vector<MemoryAtPeak> memory;  ///< of each GPU whose memory was recorded
  /// From the first GPU work to the last, of which shares are given.
  [[nodiscard]] int64_t working_ns() const { return total_ns - set_up_ns - after_ns; }
};

[[nodiscard]] Fields summary_fields();
[[nodiscard]] RunSummary summarize(const Trace& trace);

}  // namespace sonde
