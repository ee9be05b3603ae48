#pragma once

#include <cstddef>
#include <cstdint>

/// A stand-in for CUDA: libcuda.so.1 (driver/), a runtime library (runtime/) and libcupti (the sources beside this
/// file). This is what the three tell each other, as the real ones do through tables of the driver's that nobody
/// documents.
///
/// A GPU is a timeline: an operation begins when what stands before it in its stream has ended, and takes as long as
/// its caller says. All times here are nanoseconds of CLOCK_MONOTONIC.
namespace fake_cuda {

/// What a program gives for a function: `const void* func` of cudaLaunchKernel and CUfunction alike. The first of its
/// arguments points to an int64_t, the nanoseconds that it takes. The layout is that of struct fake_kernel in
/// tests/tools/programs/recorded/small_cuda.h.
struct Kernel {
  const char* name;  ///< mangled
  uint32_t registers;
  uint32_t static_shared_bytes;
  uint32_t local_bytes_per_thread;
  uint32_t faults;  ///< page faults of managed memory that it takes
};

struct Shape {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t dynamic_shared_bytes;
};

enum class Sort : uint32_t {
  kernel,
  copy,
  peer_copy,
  set,
  synchronization,
  graph,       ///< the whole of a launched graph
  event,       ///< recorded
  allocation,  ///< or release
  migration,
  page_faults,
  overhead,
};

inline constexpr uint32_t kNone = 0xFFFFFFFF;  ///< CUPTI_SYNCHRONIZATION_INVALID_VALUE and the like

/// What a device or the driver did. Only what its sort has is set.
struct Operation {
  Sort sort = Sort::kernel;
  int64_t start = 0;
  int64_t end = 0;
  uint32_t device = 0;
  uint32_t context = 0;
  uint32_t stream = 0;
  uint32_t correlation = 0;
  const Kernel* kernel = nullptr;
  Shape shape{};
  int64_t grid_id = 0;
  uint64_t bytes = 0;
  uint64_t address = 0;
  uint32_t kind = 0;         ///< of a copy, of CUPTI's; of a synchronization, of a migration, too
  uint32_t source_kind = 0;  ///< CUpti_ActivityMemoryKind; of an allocation its kind
  uint32_t target_kind = 0;
  uint32_t source_device = 0;
  uint32_t target_device = 0;
  uint32_t source_context = 0;
  uint32_t target_context = 0;
  uint32_t value = 0;  ///< of a set
  uint32_t event = 0;
  uint32_t graph = 0;       ///< 0: not of a graph
  uint64_t graph_node = 0;  ///< 0: not a graph's node
  bool is_async = false;
  bool is_release = false;
};

/// CUpti_CallbackDomain.
enum class Domain : uint32_t { driver = 1, runtime = 2, resource = 3, synchronize = 4 };

/// A call of the API by the program, from its begin to its end.
struct ApiCall {
  Domain domain;
  uint32_t id;  ///< CUpti_driver_api_trace_cbid or CUpti_runtime_api_trace_cbid
  const char* name;
  const void* parameters;  ///< of the function, as generated_cuda_meta.h has them; null where nobody looks at them
  const char* symbol;      ///< of the kernel that is launched
  uint32_t correlation;    ///< a call within another has the outer one's
  uint32_t result;
  uint64_t start;  ///< CUPTI's, on its client's clock; 0: it does not record this call
  uint64_t data;   ///< of the client
  bool is_outer;
  bool was_told;  ///< CUPTI's client of its begin
};

struct ContextInfo {
  uint32_t id;
  uint32_t device;
  uint32_t null_stream;
};

struct StreamInfo {
  uint32_t id;
  uint32_t context;
  uint32_t flags;  ///< CUpti_ActivityStreamFlag
  int32_t priority;
};

/// CUpti_GraphData's, what is not there is null.
struct GraphInfo {
  const void* graph;
  const void* original_graph;
  const void* node;
  const void* original_node;
  uint32_t node_type;  ///< CUgraphNodeType
  const void* exec;
};

/// What CUPTI wants to hear of. Called on the thread that makes the call.
struct Listener {
  void (*entered)(ApiCall& call);
  void (*left)(ApiCall& call);
  void (*worked)(const Operation& operation);
  void (*context_created)(const void* handle, const ContextInfo& context);
  void (*stream_created)(const void* handle, const StreamInfo& stream);
  void (*graph_changed)(uint32_t resource_id, const GraphInfo& graph);  ///< CUpti_CallbackIdResource
  void (*synchronized)(uint32_t id, const void* context, const void* stream);
  void (*initialized)();
};

/// The driver's side of all this: `fakeCudaTable` of libcuda.so.1 gives it.
struct Table {
  void (*enter)(ApiCall* call);
  void (*leave)(ApiCall* call);
  void (*listen)(const Listener* listener);  ///< null: nobody does
  bool (*is_initialized)();
  uint32_t (*devices)();
  uint32_t (*contexts)(ContextInfo* into, uint32_t room);
  ContextInfo (*context_of)(const void* handle);  ///< id 0: there is none
  const void* (*current_context)();               ///< of this thread; null: none
  uint32_t (*stream_id)(const void* handle);      ///< null: the default stream's
  uint64_t (*graph_node_id)(const void* node);
  uint32_t (*graph_id)(const void* graph_or_exec);
};

using GetTable = const Table* (*)();

/// Calls of this name are let in by libcuda.so.1 alone.
inline constexpr const char* kTableFunction = "fakeCudaTable";
inline constexpr const char* kDriverLibrary = "libcuda.so.1";

/// What a copy takes: known to the programs of the tests too.
inline constexpr int64_t kCopyNs = 1000;
inline constexpr uint64_t kCopyBytesPerNs = 16;
inline constexpr uint64_t kSetBytesPerNs = 64;
inline constexpr int64_t kSetNs = 500;

}  // namespace fake_cuda
