#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "record/trace_of.h"
#include "wire/gpu_metrics_record.h"

namespace sonde::record {

/// What one process sampled of a GPU.
struct SampledGpu {
  uint32_t device = 0;  ///< CUDA's number of it, in that process
  std::string chip;
  std::vector<std::string> metrics;   ///< as they are shown
  int64_t samples = 0;                ///< that are in the profile
  int64_t outside = 0;                ///< of times outside of the recording, left out
  int64_t missing = 0;                ///< samples that gaps between others have room for
  int64_t sampled_ns = 0;             ///< from the first one's start to the last one's end
  wire::SamplingTallyBody counted{};  ///< in the recording
};

/// What a recording came to where GPU metrics are concerned.
struct GpuMetricsTally {
  std::vector<SampledGpu> gpus;
  /// State, device and text -> result
  std::map<std::tuple<wire::SamplingState, uint32_t, std::string>, int32_t> states;
};

/// Puts the samples into the trace's counters, part by part: its counter values are empty afterwards. Times in it count
/// from `begin`; what lies outside of begin and end (CLOCK_MONOTONIC) is left out.
[[nodiscard]] GpuMetricsTally fill_gpu_metrics(Trace& trace, const Slices& slices, int64_t begin, int64_t end,
                                               const PartTaker& take);

}  // namespace sonde::record
