#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/record.h"

/// The bodies of the records that CUPTI's become. Times are CLOCK_MONOTONIC in nanoseconds; numbers of devices,
/// contexts, streams and correlations are CUPTI's, unique in their process only; kinds and flags are CUPTI's own
/// numbers.
namespace sonde::wire {

/// Where a GPU operation ran, and the call that it came from.
struct GpuPlace {
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
};

struct KernelBody {
  int64_t start;
  int64_t end;
  GpuPlace place;
  uint64_t graph_node;  ///< 0 for none
  int64_t grid_id;
  uint64_t local_bytes_total;
  uint32_t name;  ///< of a cuda_name; 0 where CUPTI gave none
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t static_shared_bytes;
  uint32_t dynamic_shared_bytes;
  uint32_t shared_bytes_executed;
  uint32_t local_bytes_per_thread;
  uint32_t shared_limit_config;
  uint16_t registers;
  uint8_t cache_config;
  uint8_t launch_type;
};
static_assert(sizeof(KernelBody) == 120);

struct CopyBody {
  int64_t start;
  int64_t end;
  GpuPlace place;
  uint64_t bytes;
  uint64_t graph_node;
  uint8_t kind;
  uint8_t source;
  uint8_t destination;
  uint8_t reserved[5];
};
static_assert(sizeof(CopyBody) == 56);

/// Of a copy from one GPU to another, or within one by the same calls.
struct PeerCopyBody {
  CopyBody copy;
  uint32_t source_device;
  uint32_t source_context;
  uint32_t destination_device;
  uint32_t destination_context;
};
static_assert(sizeof(PeerCopyBody) == 72);

struct SetBody {
  int64_t start;
  int64_t end;
  GpuPlace place;
  uint64_t bytes;
  uint64_t graph_node;
  uint32_t value;
  uint32_t memory;
};
static_assert(sizeof(SetBody) == 56);

/// The device is in the context.
struct SyncBody {
  int64_t start;
  int64_t end;
  GpuPlace place;
  uint32_t type;
  uint32_t event;
};
static_assert(sizeof(SyncBody) == 40);

struct ApiCallBody {
  int64_t start;
  int64_t end;
  uint32_t thread;
  uint32_t correlation;
  uint32_t call;  ///< CUPTI's number, of a cuda_api_name
  uint32_t result;
};
static_assert(sizeof(ApiCallBody) == 32);

struct GraphLaunchBody {
  int64_t start;
  int64_t end;
  GpuPlace place;
  uint32_t graph;
  uint32_t reserved;
};
static_assert(sizeof(GraphLaunchBody) == 40);

struct UnifiedMemoryBody {
  int64_t start;
  int64_t end;
  uint64_t value;
  uint64_t address;
  uint32_t kind;
  uint32_t source;
  uint32_t destination;
  uint32_t flags;
};
static_assert(sizeof(UnifiedMemoryBody) == 48);

struct AllocationBody {
  int64_t start;
  uint64_t address;
  uint64_t bytes;
  uint32_t operation;
  uint32_t memory;
  uint32_t device;
  uint32_t correlation;
  uint32_t name;  ///< of a cuda_name; 0 for none
  uint32_t reserved;
};
static_assert(sizeof(AllocationBody) == 48);

struct OverheadBody {
  int64_t start;
  int64_t end;
  uint32_t kind;
  uint32_t object_kind;
  uint32_t process;  ///< where the object is one, or a thread
  uint32_t thread;
  uint32_t correlation;
  uint32_t reserved;
};
static_assert(sizeof(OverheadBody) == 40);

struct DeviceBody {
  uint64_t memory_bandwidth_kb_per_s;
  uint64_t memory_bytes;
  uint32_t id;
  uint32_t constant_bytes;
  uint32_t l2_bytes;
  uint32_t threads_per_warp;
  uint32_t clock_khz;
  uint32_t copy_engines;
  uint32_t sm_count;
  uint32_t max_ipc;
  uint32_t max_warps_per_sm;
  uint32_t max_blocks_per_sm;
  uint32_t max_shared_bytes_per_sm;
  uint32_t max_registers_per_sm;
  uint32_t max_registers_per_block;
  uint32_t max_shared_bytes_per_block;
  uint32_t max_threads_per_block;
  uint32_t max_block[3];
  uint32_t max_grid[3];
  uint32_t compute_major;
  uint32_t compute_minor;
  uint32_t name;  ///< of a cuda_name
  uint8_t uuid[16];
};
static_assert(sizeof(DeviceBody) == 128);

struct ContextBody {
  uint32_t context;
  uint32_t device;
  uint32_t null_stream;
  uint32_t reserved;
};
static_assert(sizeof(ContextBody) == 16);

struct StreamBody {
  uint32_t context;
  uint32_t stream;
  uint32_t priority;
  uint32_t flag;
};
static_assert(sizeof(StreamBody) == 16);

struct CudaEventBody {
  int64_t reached;  ///< by the GPU; 0: unknown
  uint32_t context;
  uint32_t stream;
  uint32_t event;
  uint32_t correlation;
};
static_assert(sizeof(CudaEventBody) == 24);

enum class CudaGraphChange : uint32_t { created = 1, cloned = 2, instantiated = 3 };
inline constexpr CudaGraphChange kLastCudaGraphChange = CudaGraphChange::instantiated;

/// In the thread that made it, at its head's time. Graphs and executable ones have numbers of their own; 0 for none.
struct CudaGraphBody {
  CudaGraphChange change;
  uint32_t graph;       ///< that was created, or that the other was made of
  uint32_t original;    ///< of a clone
  uint32_t executable;  ///< of an instantiation
};
static_assert(sizeof(CudaGraphBody) == 16);

/// Followed by a part of the text of a name. The first part has number 0; the others continue it.
struct CudaNameBody {
  uint32_t id;
  uint16_t text_bytes;
  uint16_t part;
};
static_assert(sizeof(CudaNameBody) == 8);

enum class CudaState : uint32_t {
  recording = 1,   ///< CUPTI delivers; the text is its path
  no_library = 2,  ///< the text says why
  unknown_version = 3,
  other_tool = 4,  ///< CUPTI serves another profiler
  failed = 5,      ///< a call failed and nothing is recorded; the text names it and what CUPTI said
  lacks = 6,       ///< a part is not recorded; the text says which and why
  no_gpu = 7,      ///< the driver could not be initialized; `version` is what cuInit() gave
};
inline constexpr CudaState kLastCudaState = CudaState::no_gpu;

/// Followed by its text.
struct CudaStateBody {
  CudaState state;
  uint32_t version;  ///< cuptiGetVersion(), 0 where it is not known; of no_gpu: CUresult
  uint16_t text_bytes;
  uint16_t reserved[3];
};
static_assert(sizeof(CudaStateBody) == 16);

/// Why a record of CUPTI's is not in the recording.
enum class CudaInvalid : uint32_t {
  zero_times,  ///< start and end are 0
  backwards,   ///< it ends before it starts
  unknown_kind,
  cut,  ///< it does not lie in its buffer as a whole
  count_
};

/// What a process counted since it began; each record replaces the one before it.
struct CudaTallyBody {
  uint64_t records;     ///< taken from CUPTI
  uint64_t invalid[4];  ///< by CudaInvalid
  uint64_t dropped;     ///< by CUPTI, as it says
  uint64_t buffers;
  uint64_t bytes;           ///< of CUPTI's buffers
  int64_t busy_ns;          ///< writing them down, on a thread of Sonde's
  int64_t callback_ns;      ///< within CUPTI's callbacks
  int64_t clock_error_ns;   ///< how exactly CUPTI's clock is known; 0 where it uses ours
  int64_t clock_drift_ns;   ///< what it went apart from ours until now
  uint64_t unfinished;      ///< of zero_times: fetched by force when the recording ended
  uint64_t flush_failures;  ///< fetches that CUPTI refused
  uint64_t nameless;        ///< records whose names had no room among those that Sonde numbers
  int64_t call_cost_ns;     ///< what CUPTI's record of a CUDA call costs the thread that makes it; 0: not measured
};
static_assert(sizeof(CudaTallyBody) == 128);

/// Of the CUDA call with this correlation, innermost frame first; followed by `frames` addresses of 8 bytes.
struct CallChainBody {
  uint32_t correlation;
  uint32_t frames;
};
inline constexpr uint32_t kMaxFrames = 64;

/// The bytes of a record's body behind its head, without text or addresses; 0 for kinds that are not CUPTI's.
constexpr size_t cuda_body_bytes(Kind kind) {
  switch (kind) {
    case Kind::cuda_state: return sizeof(CudaStateBody);
    case Kind::cuda_name: return sizeof(CudaNameBody);
    case Kind::cuda_kernel: return sizeof(KernelBody);
    case Kind::cuda_copy: return sizeof(CopyBody);
    case Kind::cuda_peer_copy: return sizeof(PeerCopyBody);
    case Kind::cuda_set: return sizeof(SetBody);
    case Kind::cuda_sync: return sizeof(SyncBody);
    case Kind::cuda_call: return sizeof(ApiCallBody);
    case Kind::cuda_graph_launch: return sizeof(GraphLaunchBody);
    case Kind::cuda_unified: return sizeof(UnifiedMemoryBody);
    case Kind::cuda_allocation: return sizeof(AllocationBody);
    case Kind::cuda_overhead: return sizeof(OverheadBody);
    case Kind::cuda_device: return sizeof(DeviceBody);
    case Kind::cuda_context: return sizeof(ContextBody);
    case Kind::cuda_stream: return sizeof(StreamBody);
    case Kind::cuda_graph: return sizeof(CudaGraphBody);
    case Kind::cuda_event: return sizeof(CudaEventBody);
    case Kind::cuda_tally: return sizeof(CudaTallyBody);
    case Kind::call_chain: return sizeof(CallChainBody);
    default: return 0;
  }
}

}  // namespace sonde::wire
