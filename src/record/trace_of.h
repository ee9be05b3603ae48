#pragma once

#include <cstdint>

#include "record/cpu/symbolizer.h"
#include "record/cuda/cuda_tally.h"
#include "record/kernels/profiles.h"
#include "record/library_calls.h"
#include "record/nccl/nccl_tally.h"
#include "record/rounds/extent.h"
#include "record/rounds/parts.h"
#include "record/rounds/slices.h"
#include "trace/trace.h"

namespace sonde::record {

/// What a recording came to.
struct Tally {
  int64_t images = 0;
  int64_t processes = 0;
  int64_t threads = 0;
  int64_t ranges = 0;
  int64_t open_ranges = 0;
  int64_t marks = 0;
  int64_t os_calls = 0;
  int64_t gpu_samples = 0;  ///< of GPU metrics
  int64_t library_calls = 0;
  int64_t module_ranges = 0;  ///< of PyTorch's modules; among the ranges
  LibrariesSeen libraries{};
  int64_t records = 0;
  int64_t payloads = 0;         ///< of NVTX events, that are not simple values
  int64_t unread_payloads = 0;  ///< of these: without their schema, or too difficult
  int64_t unmatched_ends = 0;   ///< ends of ranges whose begin is not recorded
  int64_t unread_bytes = 0;     ///< that are no records
  int64_t last_ns = 0;          ///< the latest time of an event, as Extent has it; 0: there is none
  int64_t cpu_events = 0;       ///< samples and switches
  uint32_t event_cost_ns = 0;   ///< the median of what processes measured
  CudaTally cuda;
  NcclTally nccl;
  MeasureTally measured;  ///< of kernels whose counters were asked for

  /// Of which the profile tells.
  [[nodiscard]] int64_t events() const {
    return ranges + marks + os_calls + library_calls + cuda.events() + measured.kernels + gpu_samples + nccl.operations;
  }
};

/// Nsight's form of ids (see GlobalIds): machine 1, process, thread.
[[nodiscard]] constexpr uint64_t global_id(uint32_t process, uint32_t thread) {
  return uint64_t{1} << 48U | uint64_t{process} << 24U | thread;
}

/// Makes a trace of what was recorded, not linked, in parts of `part_rows` rows. Its event tables are empty afterwards.
/// Times count from the extent's begin. The symbolizer, of the same trace, learns where the processes' code lies.
[[nodiscard]] Tally fill_trace(Trace& trace, const Slices& slices, Symbolizer& symbolizer, const Extent& extent,
                               const PartTaker& take, const MeasureRequest& request = {}, size_t part_rows = kPartRows);

}  // namespace sonde::record
