#pragma once

#include "wire/layout.h"
#include "wire/record.h"

namespace sonde::wire {

/// Whether records of this kind say what something is, which holds for all later rounds too; else they say what
/// happened at their time, in one round.
constexpr bool is_definition(Kind kind) {
  switch (kind) {
    case Kind::process:
    case Kind::process_rank:
    case Kind::domain:
    case Kind::string:
    case Kind::category:
    case Kind::thread_name:
    case Kind::payload_schema:
    case Kind::payload_entry:
    case Kind::cuda_state:
    case Kind::cuda_name:
    case Kind::cuda_api_name:
    case Kind::cuda_device:
    case Kind::cuda_context:
    case Kind::cuda_stream:
    case Kind::cuda_graph:
    case Kind::measure_state:
    case Kind::device_attribute:
    case Kind::device_text:
    case Kind::sampling_state:
    case Kind::sampled_gpu:
    case Kind::sampled_metric:
    case Kind::pc_state:
    case Kind::stall_reason:
    case Kind::code_part:
    case Kind::code_mapping:
    case Kind::nccl_communicator:
    case Kind::cuda_tally:  // both count from the process's start: the last one before a round is its zero
    case Kind::sampling_tally: return true;
    default: return false;
  }
}

/// What has to be asked for to have events of this kind, of Wanted; 0 where more than one thing brings them.
constexpr uint32_t wanted_by(Kind kind) {
  switch (kind) {
    case Kind::push:
    case Kind::pop:
    case Kind::start:
    case Kind::end:
    case Kind::mark:
    case Kind::payload:
    case Kind::past_range: return kWantNvtx;
    case Kind::os_call: return kWantOsCalls;
    case Kind::library_call: return kWantLibraries;
    case Kind::cuda_kernel:
    case Kind::cuda_copy:
    case Kind::cuda_peer_copy:
    case Kind::cuda_set:
    case Kind::cuda_sync:
    case Kind::cuda_call:
    case Kind::cuda_graph_launch:
    case Kind::cuda_unified:
    case Kind::cuda_allocation:
    case Kind::cuda_overhead:
    case Kind::cuda_event:
    case Kind::call_chain: return kWantCuda;
    case Kind::measured_kernel:
    case Kind::metric_values:
    case Kind::sampled_launch:
    case Kind::pc_samples:
    case Kind::instruction_count:
    case Kind::counted_launch: return kWantMetrics;
    case Kind::gpu_sample: return kWantGpuMetrics;
    case Kind::nccl_start:
    case Kind::nccl_stop: return kWantNccl;
    default: return 0;
  }
}

}  // namespace sonde::wire
