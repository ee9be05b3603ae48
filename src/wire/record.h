#pragma once

#include <cstdint>

/// The records in a chunk. Each begins with a RecordHead; its length is a multiple of 8; numbers are in the machine's
/// own order (both sides are on one machine). Times are CLOCK_MONOTONIC in nanoseconds.
namespace sonde::wire {

enum class Kind : uint16_t {
  process = 1,       ///< ProcessBody, text: a process attached; the text is its name
  push = 2,          ///< EventBody: a push/pop range begins at `level` of its thread and domain
  pop = 3,           ///< no body: the range at `level` ends, and all that are open above it
  start = 4,         ///< RangeBody, EventBody: a start/end range begins
  end = 5,           ///< RangeBody: it ends
  mark = 6,          ///< EventBody
  domain = 7,        ///< DefinitionBody: id, text = name
  string = 8,        ///< DefinitionBody: id, text
  category = 9,      ///< DefinitionBody: id = category of `domain`, text = name
  thread_name = 10,  ///< DefinitionBody: id = the thread's number, text
  os_call = 11,      ///< OsCallBody; `time` is the start, `level` the row of os_calls.inc
  // Payloads of NVTX events: payload_record.h.
  payload_schema = 12,  ///< PayloadSchemaBody, text: of `domain`
  payload_entry = 13,   ///< PayloadEntryBody, text: of a schema of `domain`
  payload = 14,         ///< PayloadBody, its bytes: of the event before it
  process_rank = 15,    ///< ProcessRankBody: what its environment says of the job that a process belongs to
  // What CUPTI tells: cuda_record.h. `time` is when the record was written.
  cuda_state = 20,         ///< CudaStateBody, text: how a process stands with CUPTI
  cuda_name = 21,          ///< CudaNameBody, text: a part of a name
  cuda_api_name = 22,      ///< DefinitionBody: id = CUPTI's number of a call of `domain`, text = name
  cuda_kernel = 23,        ///< KernelBody
  cuda_copy = 24,          ///< CopyBody
  cuda_set = 25,           ///< SetBody
  cuda_sync = 26,          ///< SyncBody
  cuda_call = 27,          ///< ApiCallBody; `domain` is CUPTI's: 1 driver, 2 runtime
  cuda_graph_launch = 28,  ///< GraphLaunchBody
  cuda_unified = 29,       ///< UnifiedMemoryBody
  cuda_allocation = 30,    ///< AllocationBody
  cuda_overhead = 31,      ///< OverheadBody
  cuda_device = 32,        ///< DeviceBody
  cuda_context = 33,       ///< ContextBody
  cuda_stream = 34,        ///< StreamBody
  cuda_event = 35,         ///< CudaEventBody
  cuda_tally = 36,         ///< CudaTallyBody: what a process counted until now
  call_chain = 80,         ///< CallChainBody, then its addresses

  past_range = 50,    ///< PastRangeBody, text: a push/pop range that ended when it was written; `time` is its start
  library_call = 51,  ///< LibraryCallBody; `time` is the start, `level` the row of libraries.inc
  // Kernels whose counters were measured: kernel_record.h.
  measure_state = 60,     ///< MeasureStateBody, text
  device_attribute = 61,  ///< DeviceAttributeBody
  device_text = 62,       ///< DeviceTextBody, text
  measured_kernel = 63,   ///< MeasuredKernelBody, text
  metric_values = 64,     ///< MetricValuesBody, MetricPart...
  // GPU metrics over time: gpu_metrics_record.h.
  sampling_state = 90,  ///< SamplingStateBody, text
  sampled_gpu = 91,     ///< SampledGpuBody, text
  sampled_metric = 92,  ///< SampledMetricBody, text
  gpu_sample = 93,      ///< SampleBody, its values
  sampling_tally = 95,  ///< SamplingTallyBody
  cuda_peer_copy = 97,  ///< PeerCopyBody
  cuda_graph = 98,      ///< CudaGraphBody: a graph or an executable one came to be
  code_mapping = 96,    ///< CodeMappingBody, text: where a process has code of a file; the text is its path
  // What single instructions of kernels did: pc_record.h.
  pc_state = 100,           ///< PcStateBody, text
  stall_reason = 101,       ///< StallReasonBody, text
  sampled_launch = 102,     ///< SampledLaunchBody
  pc_samples = 103,         ///< PcSamplesBody, StallPart...
  code_part = 104,          ///< CodePartBody, its bytes
  instruction_count = 105,  ///< InstructionCountBody
  counted_launch = 106,     ///< CountedLaunchBody, text
  // What NCCL tells: nccl_record.h.
  nccl_communicator = 110,  ///< NcclCommunicatorBody, text
  nccl_start = 111,         ///< NcclStartBody
  nccl_stop = 112,          ///< NcclStopBody
};

/// What a level is where it is not known: of a domain behind the 32nd of a process.
inline constexpr uint16_t kNoLevel = 0xFFFF;

struct RecordHead {
  Kind kind;
  uint16_t bytes;   ///< of the whole record
  uint16_t domain;  ///< 0 is the default domain
  uint16_t level;
  int64_t time;
};
static_assert(sizeof(RecordHead) == 16);

enum EventFlags : uint8_t {
  kHasAttributes = 1,  ///< AttributeBody follows
  kHasColor = 2,
};

/// Of push, start and mark. The text, or as many of its first bytes as kMaxText, follows it all, filled up to 8 bytes.
struct EventBody {
  uint32_t string;  ///< a registered string; 0: the text is here
  uint16_t text_bytes;
  uint8_t flags;         ///< of EventFlags
  uint8_t payload_kind;  ///< as NVTX numbers them: 0 none, uint64, int64, double, uint32, int32, float
};
static_assert(sizeof(EventBody) == 8);

struct AttributeBody {
  uint32_t category;
  uint32_t color;  ///< ARGB
  uint64_t payload;
};
static_assert(sizeof(AttributeBody) == 16);

struct RangeBody {
  uint64_t id;  ///< unique in its process
};

/// Followed by its text.
struct DefinitionBody {
  uint32_t id;
  uint16_t text_bytes;
  uint16_t reserved;
};
static_assert(sizeof(DefinitionBody) == 8);

/// Followed by its text.
struct ProcessBody {
  uint32_t parent;
  uint32_t event_cost_ns;  ///< what writing an event took here, measured when the process attached
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(ProcessBody) == 16);

/// By the variables of a row of rank_variables.inc.
struct ProcessRankBody {
  uint32_t row;
  int32_t rank;
  int32_t ranks;       ///< of the job; -1: not known
  int32_t local_rank;  ///< on its host; -1: not known
};
static_assert(sizeof(ProcessRankBody) == 16);

struct OsCallBody {
  int64_t end;
  int64_t result;
};
static_assert(sizeof(OsCallBody) == 16);

inline constexpr uint8_t kLastPayload = 6;  ///< of payload_kind

/// Followed by its text.
struct PastRangeBody {
  int64_t end;
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(PastRangeBody) == 16);

struct LibraryCallBody {
  int64_t end;
  uint32_t string;  ///< the function's name, registered
  uint32_t reserved;
};
static_assert(sizeof(LibraryCallBody) == 16);

/// As /proc/PID/maps has it. Followed by its text.
struct CodeMappingBody {
  uint64_t begin;
  uint64_t end;
  uint64_t offset;  ///< of `begin` in the file
  uint64_t inode;   ///< 0 where there is no file
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(CodeMappingBody) == 40);

/// Longer texts are cut, and counted.
inline constexpr uint16_t kMaxText = 4096;

constexpr uint32_t padded(uint32_t bytes) { return (bytes + 7U) & ~7U; }

}  // namespace sonde::wire
