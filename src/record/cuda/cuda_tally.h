#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "wire/cuda_record.h"
#include "wire/reader.h"

namespace sonde::record {

/// What a recording came to where CUDA is concerned.
struct CudaTally {
  int64_t kernels = 0;
  int64_t copies = 0;
  int64_t sets = 0;
  int64_t syncs = 0;
  int64_t graph_launches = 0;
  int64_t api_calls = 0;
  int64_t allocations = 0;
  int64_t migrations = 0;  ///< of unified memory; counted as copies too
  int64_t page_faults = 0;
  int64_t other_counters = 0;    ///< of unified memory: thrashing, throttling, mappings; not in the profile
  int64_t launches = 0;          ///< calls that launched a kernel, and succeeded
  int64_t launched_nothing = 0;  ///< those of them without a kernel in the recording (unserved_launches.h)
  int64_t graph_starts = 0;      ///< calls that launched a graph, and succeeded
  int64_t early = 0;             ///< operations with times before the recording, of calls in it
  int64_t broken_times = 0;      ///< records that a program damaged: they end before they start
  int64_t chains = 0;            ///< backtraces
  int64_t processes = 0;         ///< that wrote down what CUPTI reported
  std::map<std::pair<wire::CudaState, std::string>, int64_t> states;  ///< and text -> processes
  std::map<std::string, uint32_t> versions;                           ///< path of CUPTI -> its version
  uint64_t records = 0;
  std::array<uint64_t, 4> invalid{};  ///< by wire::CudaInvalid
  uint64_t unfinished = 0;
  uint64_t flush_failures = 0;
  uint64_t nameless = 0;
  uint64_t dropped = 0;
  uint64_t bytes = 0;
  int64_t busy_ns = 0;
  int64_t callback_ns = 0;
  int64_t call_cost_ns = 0;    ///< of recording one call; the largest
  int64_t clock_error_ns = 0;  ///< the largest
  int64_t clock_drift_ns = 0;  ///< the largest

  /// Of a cuda_state.
  void note_state(const wire::Record& record);

  [[nodiscard]] int64_t events() const {
    return kernels + copies + sets + syncs + graph_launches + api_calls + allocations + page_faults;
  }
};

}  // namespace sonde::record
