#pragma once

#include <cstdint>

/// The activity records of CUPTI from CUDA 11.4 to 13.4, by the numbers that NVIDIA's headers give them
/// (CUpti_ActivityKernel9 is Kernel9). layouts/compare.cc compares each field with the headers of 13.0 where these are
/// installed; what came later follows NVIDIA's reference of CUPTI.
/// Which version of CUPTI writes which: version.h.
namespace fake_cuda::cupti {

#define RECORD struct __attribute__((packed, aligned(8)))

/// CUpti_ActivityKind
enum Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kKernel = 3,
  kDriver = 4,
  kRuntime = 5,
  kDevice = 8,
  kContext = 9,
  kConcurrentKernel = 10,
  kName = 11,
  kOverhead = 17,
  kMemcpy2 = 22,
  kUnifiedMemoryCounter = 25,
  kDeviceAttribute = 28,
  kCudaEvent = 36,
  kStream = 37,
  kSynchronization = 38,
  kExternalCorrelation = 39,
  kMemory = 45,
  kMemory2 = 49,
  kMemoryPool = 50,
  kGraphTrace = 51,
};

RECORD Api {
  uint32_t kind;
  uint32_t id;
  uint64_t start;
  uint64_t end;
  uint32_t process;
  uint32_t thread;
  uint32_t correlation;
  uint32_t result;
};

RECORD Kernel6 {
  uint32_t kind;
  uint8_t cache_config;
  uint8_t shared_memory_config;
  uint16_t registers;
  uint32_t cache_requested;
  uint32_t cache_executed;
  uint64_t start;
  uint64_t end;
  uint64_t completed;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  int32_t grid[3];
  int32_t block[3];
  int32_t static_shared;
  int32_t dynamic_shared;
  uint32_t local_per_thread;
  uint32_t local_total;
  uint32_t correlation;
  int64_t grid_id;
  const char* name;
  void* reserved;
  uint64_t queued;
  uint64_t submitted;
  uint8_t launch_type;
  uint8_t carveout_is_requested;
  uint8_t carveout_requested;
  uint8_t padding;
  uint32_t shared_executed;
  uint64_t graph_node;
  uint32_t shared_limit_config;
  uint32_t graph;
  void* access_policy;
};

RECORD Kernel7 : Kernel6 {
  uint32_t channel;
  uint32_t channel_type;
};

RECORD Kernel8 : Kernel7 {
  uint32_t cluster[3];
  uint32_t cluster_scheduling;
  uint64_t local_total_v2;
};

RECORD Kernel9 : Kernel8 {
  uint32_t max_potential_cluster;
  uint32_t max_active_clusters;
};

RECORD Kernel10 : Kernel9 {
  uint8_t is_device_launched;
  uint8_t padding3[7];
};

/// The priority stands in what was padding.
RECORD Kernel12 : Kernel10 {
  uint32_t execution_model;
  uint32_t padding5;
};

RECORD Kernel13 : Kernel12 {
  uint32_t source_graph;
  uint32_t padding6;
  uint64_t source_graph_node;
};

RECORD Memcpy4 {
  uint32_t kind;
  uint8_t copy_kind;
  uint8_t source_kind;
  uint8_t target_kind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
  uint32_t runtime_correlation;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
  uint32_t channel;  ///< padding in this one
};

RECORD Memcpy5 : Memcpy4 {
  uint32_t channel_type;
  uint32_t pad2;
};

/// pad2 is isDeviceLaunched and three bytes.
RECORD Memcpy6 : Memcpy5 { uint64_t copies; };

RECORD Memcpy7 : Memcpy6 {
  uint32_t source_graph;
  uint32_t pad3;
  uint64_t source_graph_node;
};

RECORD PeerCopy3 {
  uint32_t kind;
  uint8_t copy_kind;
  uint8_t source_kind;
  uint8_t target_kind;
  uint8_t flags;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t source_device;
  uint32_t source_context;
  uint32_t target_device;
  uint32_t target_context;
  uint32_t correlation;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
  uint32_t channel;  ///< padding in this one
};

RECORD PeerCopy4 : PeerCopy3 { uint32_t channel_type; };

RECORD Memset3 {
  uint32_t kind;
  uint32_t value;
  uint64_t bytes;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  uint32_t correlation;
  uint16_t flags;
  uint16_t memory_kind;
  uint32_t pad;
  void* reserved;
  uint64_t graph_node;
  uint32_t graph;
  uint32_t channel;  ///< padding in this one
};

RECORD Memset4 : Memset3 {
  uint32_t channel_type;
  uint32_t pad2;
};

RECORD Memset5 : Memset4 {
  uint32_t source_graph;
  uint32_t pad3;
  uint64_t source_graph_node;
};

RECORD Synchronization1 {
  uint32_t kind;
  uint32_t type;
  uint64_t start;
  uint64_t end;
  uint32_t correlation;
  uint32_t context;
  uint32_t stream;
  uint32_t event;
};

RECORD Synchronization2 : Synchronization1 {
  uint64_t event_sync;
  uint32_t result;
  uint32_t pad;
};

RECORD CudaEvent1 {
  uint32_t kind;
  uint32_t correlation;
  uint32_t context;
  uint32_t stream;
  uint32_t event;
  uint32_t pad;
};

RECORD CudaEvent2 : CudaEvent1 {
  uint32_t device;
  uint32_t pad2;
  void* reserved;
  uint64_t device_timestamp;
  uint64_t event_sync;
};

RECORD GraphTrace1 {
  uint32_t kind;
  uint32_t correlation;
  uint64_t start;
  uint64_t end;
  uint32_t device;
  uint32_t graph;
  uint32_t context;
  uint32_t stream;
  void* reserved;
};

RECORD GraphTrace2 : GraphTrace1 {
  uint32_t end_device;
  uint32_t end_context;
};

RECORD UnifiedMemory2 {
  uint32_t kind;
  uint32_t counter;
  uint64_t value;
  uint64_t start;
  uint64_t end;
  uint64_t address;
  uint32_t source;
  uint32_t target;
  uint32_t stream;
  uint32_t process;
  uint32_t flags;
  uint32_t pad;
};

RECORD UnifiedMemory3 : UnifiedMemory2 { uint64_t processors[5]; };

RECORD Memory2 {
  uint32_t kind;
  uint32_t operation;
  uint32_t memory_kind;
  uint32_t correlation;
  uint64_t address;
  uint64_t bytes;
  uint64_t timestamp;
  uint64_t pc;
  uint32_t process;
  uint32_t device;
  uint32_t context;
  uint32_t stream;
  const char* name;
  uint32_t is_async;
  uint32_t pad1;
  uint32_t pool_type;
  uint32_t pad2;
  uint64_t pool_address;
  uint64_t pool_threshold;
  uint64_t pool_size;
};

RECORD Memory3 : Memory2 { uint64_t pool_used; };

RECORD Memory4 : Memory3 { const char* source; };

RECORD Overhead1 {
  uint32_t kind;
  uint32_t overhead;
  uint32_t object;
  uint32_t ids[3];  ///< process and thread, or device, context and stream
  uint64_t start;
  uint64_t end;
};

RECORD Overhead2 : Overhead1 {
  uint32_t correlation;
  uint32_t reserved;
};

RECORD Overhead3 : Overhead2 { void* data; };

RECORD Device3 {
  uint32_t kind;
  uint32_t flags;
  uint64_t bandwidth;    ///< kB/s
  uint64_t memory_size;  ///< bytes
  uint32_t constant_memory;
  uint32_t l2_bytes;
  uint32_t warp;
  uint32_t clock_khz;
  uint32_t copy_engines;
  uint32_t multiprocessors;
  uint32_t max_ipc;
  uint32_t max_warps;
  uint32_t max_blocks;
  uint32_t max_shared;
  uint32_t max_registers;
  uint32_t max_registers_of_block;
  uint32_t max_shared_of_block;
  uint32_t max_threads_of_block;
  uint32_t max_block[3];
  uint32_t max_grid[3];
  uint32_t major;
  uint32_t minor;
  uint32_t id;
  uint32_t ecc;
  uint8_t uuid[16];
  const char* name;
  uint8_t is_visible;
  uint8_t is_mig;  ///< reserved in this one
  uint8_t reserved[6];
};

RECORD Device4 : Device3 {
  uint32_t gpu_instance;
  uint32_t compute_instance;
  uint8_t mig_uuid[16];
};

RECORD Device5 : Device4 {
  uint32_t is_numa_node;
  uint32_t numa_id;
};

RECORD Device6 : Device5 {
  uint32_t tpcs;
  uint32_t reserved0;
};

RECORD Context1 {
  uint32_t kind;
  uint32_t context;
  uint32_t device;
  uint16_t api;
  uint16_t null_stream;
};

RECORD Context2 : Context1 {
  uint32_t parent;
  uint8_t is_green;
  uint8_t padding;
  uint16_t multiprocessors;
};

RECORD Context3 : Context2 {
  uint32_t cig_mode;
  uint32_t padding2;
};

RECORD Context4 : Context3 { uint64_t process; };

RECORD StreamRecord {
  uint32_t kind;
  uint32_t context;
  uint32_t stream;
  uint32_t priority;
  uint32_t flag;
  uint32_t correlation;
};

/// Of a kind that no version has.
RECORD OtherRecord {
  uint32_t kind;
  uint32_t words[9];
};

#undef RECORD

}  // namespace fake_cuda::cupti
