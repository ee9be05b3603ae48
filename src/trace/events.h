#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "trace/ids.h"

/// The event tables of a Trace: one vector a column, rows sorted by start. Times are nanoseconds from the trace's
/// origin. kUnknown, kUnknown32 and kNone mark values that the source does not give.
namespace sonde {

using Times = std::vector<int64_t>;
using Ids = std::vector<uint32_t>;
using Ints = std::vector<int32_t>;
using Longs = std::vector<int64_t>;
using Codes = std::vector<uint8_t>;

/// A binary payload of an NVTX event, of a schema of the event's domain.
struct Payload {
  uint64_t schema = 0;  ///< 0: the event has none
  std::string bytes;
  std::string json;  ///< the same to be read; empty where the schema is not known or too difficult
};
using Payloads = std::vector<Payload>;

/// What every operation on a GPU has.
struct GpuOps {
  Times start;
  Times end;
  Ids stream;       ///< StreamId
  Ids correlation;  ///< unique in its process only; 0 where there is none
  Ids launch;       ///< row of `api` that launched it, kNone where that is not known; made by link()
  template <typename = void>
  auto columns() {
    return std::tie(start, end, stream, correlation, launch);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, stream, correlation, launch);
  }
};

using Dim3 = std::array<uint32_t, 3>;

struct Kernels : GpuOps {
  Ids name;                 ///< as C++ declares it
  Ids short_name;           ///< NameId
  Ids mangled_name;         ///< NameId
  std::vector<Dim3> grid;   ///< blocks
  std::vector<Dim3> block;  ///< threads
  Ints registers;           ///< per thread
  Ints static_shared_bytes;
  Ints dynamic_shared_bytes;
  Ints shared_bytes;  ///< static and dynamic together, where the source gives only their sum
  Ints local_bytes_per_thread;
  Longs local_bytes_total;
  Ints shared_bytes_executed;
  std::vector<Dim3> cluster;             ///< blocks; 0 where the launch had no cluster
  Longs graph_node;                      ///< kUnknown where the kernel is not a node of a CUDA graph
  Codes launch_type;                     ///< CUPTI's number: 0 regular, 1 and 2 cooperative
  std::vector<float> occupancy_percent;  ///< the recorder's own estimate of achieved occupancy; NaN where it gave none
  Ids collective;                        ///< row of `collectives`, kNone
  Longs grid_id;                         ///< the driver's number of the launch
  Codes cache_config;                    ///< CUPTI's byte: preference for L1 or shared memory
  Codes shared_limit_config;             ///< CUPTI's number: 0 default, 1 the launch may use more than 48 KB
  template <typename = void>
  auto columns() {
    return std::tuple_cat(
        GpuOps::columns(),
        std::tie(name, short_name, mangled_name, grid, block, registers, static_shared_bytes, dynamic_shared_bytes,
                 shared_bytes, local_bytes_per_thread, local_bytes_total, shared_bytes_executed, cluster, graph_node,
                 launch_type, occupancy_percent, collective, grid_id, cache_config, shared_limit_config));
  }
  template <typename = void>
  auto columns() const {
    return std::tuple_cat(
        GpuOps::columns(),
        std::tie(name, short_name, mangled_name, grid, block, registers, static_shared_bytes, dynamic_shared_bytes,
                 shared_bytes, local_bytes_per_thread, local_bytes_total, shared_bytes_executed, cluster, graph_node,
                 launch_type, occupancy_percent, collective, grid_id, cache_config, shared_limit_config));
  }
};

/// CUPTI's copy kinds, as every exporter numbers them.
enum class CopyKind : uint8_t {
  unknown = 0,
  host_to_device = 1,
  device_to_host = 2,
  host_to_array = 3,
  array_to_host = 4,
  array_to_array = 5,
  array_to_device = 6,
  device_to_array = 7,
  device_to_device = 8,
  host_to_host = 9,
  peer_to_peer = 10,
  unified_host_to_device = 11,
  unified_device_to_host = 12,
  unified_device_to_device = 13,
};

/// Nsight's memory kinds (ENUM_CUDA_MEM_KIND).
enum class MemoryKind : uint8_t {
  pageable = 0,
  pinned = 1,
  device = 2,
  array = 3,
  managed = 4,
  device_static = 5,
  managed_static = 6,
  unknown = 7,
  absent = 255,  ///< the source has no such column or left it empty
};

struct Copies : GpuOps {
  Longs bytes;
  Codes kind;             ///< CopyKind
  Codes source;           ///< MemoryKind
  Codes destination;      ///< MemoryKind
  Longs address;          ///< virtual address of a unified-memory migration; kUnknown otherwise
  Codes migration_cause;  ///< CUPTI's number, 255 where there is none
  Longs graph_node;
  Ids source_device;  ///< CUDA ordinals and contexts of a copy between two, kNone otherwise
  Ids source_context;
  Ids destination_device;
  Ids destination_context;
  template <typename = void>
  auto columns() {
    return std::tuple_cat(GpuOps::columns(),
                          std::tie(bytes, kind, source, destination, address, migration_cause, graph_node,
                                   source_device, source_context, destination_device, destination_context));
  }
  template <typename = void>
  auto columns() const {
    return std::tuple_cat(GpuOps::columns(),
                          std::tie(bytes, kind, source, destination, address, migration_cause, graph_node,
                                   source_device, source_context, destination_device, destination_context));
  }
};

struct Sets : GpuOps {
  Longs bytes;
  Ids value;
  Codes memory;  ///< MemoryKind
  Longs graph_node;
  template <typename = void>
  auto columns() {
    return std::tuple_cat(GpuOps::columns(), std::tie(bytes, value, memory, graph_node));
  }
  template <typename = void>
  auto columns() const {
    return std::tuple_cat(GpuOps::columns(), std::tie(bytes, value, memory, graph_node));
  }
};

/// A whole CUDA graph launch, where the recorder traced graphs and not their nodes.
struct GraphLaunches : GpuOps {
  Ids graph;
  Ids executable;
  template <typename = void>
  auto columns() {
    return std::tuple_cat(GpuOps::columns(), std::tie(graph, executable));
  }
  template <typename = void>
  auto columns() const {
    return std::tuple_cat(GpuOps::columns(), std::tie(graph, executable));
  }
};

/// What waited for what. Told by the shape of the row: Nsight's own numbers changed from version to version.
enum class SyncKind : uint8_t { device, stream, event, stream_waits_event };

struct Syncs : GpuOps {
  Codes kind;    ///< SyncKind
  Ids event;     ///< CUDA event id, kNone
  Ids raw_type;  ///< syncType as the file stores it, for export
  template <typename = void>
  auto columns() {
    return std::tuple_cat(GpuOps::columns(), std::tie(kind, event, raw_type));
  }
  template <typename = void>
  auto columns() const {
    return std::tuple_cat(GpuOps::columns(), std::tie(kind, event, raw_type));
  }
};

enum class CallClass : uint8_t { runtime, driver, os, syscall, cublas, cudnn, nccl, other_library, overhead };

/// Calls on host threads: CUDA API, OS runtime, libraries, the profiler's own overhead.
struct Calls {
  Times start;
  Times end;
  Ids name;
  Ids thread;
  Codes call_class;  ///< CallClass
  Ids correlation;   ///< 0 where there is none
  Longs result;      ///< return value
  Ints nesting;      ///< nesting level as recorded, kUnknown32
  Ids chain;         ///< ChainId
  template <typename = void>
  auto columns() {
    return std::tie(start, end, name, thread, call_class, correlation, result, nesting, chain);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, name, thread, call_class, correlation, result, nesting, chain);
  }
};

enum class RangeStyle : uint8_t { push_pop, start_end };

/// Where a payload's 8 bytes come from.
enum class PayloadKind : uint8_t { none, uint64, int64, real64, uint32, int32, real32 };

/// Named spans of time on host threads: NVTX ranges, and what frameworks record (annotations, operators, module calls).
struct Ranges {
  Times start;
  Times end;  ///< kUnknown for a range that was open when the recording ended
  Ids name;
  Ids thread;
  Ids end_thread;  ///< start/end ranges may end on another thread
  std::vector<DomainId> domain;
  Codes style;     ///< RangeStyle
  Ids parent;      ///< innermost push/pop range of the same thread and domain around it; made by link()
  Codes backward;  ///< 1 for a backward operator as the framework marks it
  Ids forward;     ///< for a backward operator: the row of the forward operator whose place it takes; made by link()
  Ids category;
  Longs color;  ///< ARGB
  Codes payload_kind;
  Longs payload;   ///< bit pattern
  Longs sequence;  ///< autograd's sequence number, kUnknown
  Ids shapes;      ///< NameId of the operator's inputs (recorded_inputs.h)
  Payloads payloads;
  template <typename = void>
  auto columns() {
    return std::tie(start, end, name, thread, end_thread, domain, style, parent, backward, forward, category, color,
                    payload_kind, payload, sequence, shapes, payloads);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, name, thread, end_thread, domain, style, parent, backward, forward, category, color,
                    payload_kind, payload, sequence, shapes, payloads);
  }
};

struct Marks {
  Times start;
  Ids name;
  Ids thread;
  std::vector<DomainId> domain;
  Ids category;
  Longs color;  ///< ARGB
  Codes payload_kind;
  Longs payload;  ///< bit pattern
  Payloads payloads;
  template <typename = void>
  auto columns() {
    return std::tie(start, name, thread, domain, category, color, payload_kind, payload, payloads);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, name, thread, domain, category, color, payload_kind, payload, payloads);
  }
};

/// ENUM_SAMPLING_THREAD_STATE of Nsight Systems.
enum class ThreadState : uint8_t {
  unknown,
  running,
  interruptible,
  uninterruptible,
  stopped,
  terminated,
  unscheduled,
  waiting,
  os_runtime,
  initialized,
  transition,
};

struct Samples {
  Times start;
  Ids thread;
  Ints cpu;
  Codes state;  ///< ThreadState
  Longs cycles;
  Ids chain;
  template <typename = void>
  auto columns() {
    return std::tie(start, thread, cpu, state, cycles, chain);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, thread, cpu, state, cycles, chain);
  }
};

/// What a thread has to do with Python's global interpreter lock.
enum class GilUse : uint8_t { none, holds, waits, unknown = 255 };

/// A Python thread at a moment, whether it ran or not. Its stack has Python functions only.
struct PythonSamples {
  Times start;
  Ids thread;
  Codes state;  ///< ThreadState: running (on a core or ready), waiting in a system call, or unknown
  Codes gil;    ///< GilUse
  Ids chain;
  template <typename = void>
  auto columns() {
    return std::tie(start, thread, state, gil, chain);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, thread, state, gil, chain);
  }
};

/// A thread put on or taken off a core.
struct Switches {
  Times start;
  Ids thread;
  Ints cpu;
  Codes in;     ///< 1 put on, 0 taken off
  Codes state;  ///< ThreadState, 255 where absent
  Codes block;  ///< ENUM_SCHEDULING_THREAD_BLOCK, 255 where absent
  template <typename = void>
  auto columns() {
    return std::tie(start, thread, cpu, in, state, block);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, thread, cpu, in, state, block);
  }
};

struct CounterValues {
  Times start;
  Ids counter;  ///< row of Trace::counters
  std::vector<double> value;
  template <typename = void>
  auto columns() {
    return std::tie(start, counter, value);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, counter, value);
  }
};

enum class AllocationKind : uint8_t { allocate, release };

/// Device memory, from the driver (CUPTI) or from a framework's own allocator.
struct Allocations {
  Times start;
  Ids process;
  Ints device;   ///< CUDA ordinal; -1 for host memory
  Ids thread;    ///< kNone where not known
  Codes kind;    ///< AllocationKind
  Codes memory;  ///< MemoryKind
  Longs bytes;
  Longs address;
  Longs total_bytes;     ///< the allocator's own running total, kUnknown
  Longs reserved_bytes;  ///< what it holds from the driver, kUnknown
  Ids name;
  Ids correlation;
  template <typename = void>
  auto columns() {
    return std::tie(start, process, device, thread, kind, memory, bytes, address, total_bytes, reserved_bytes, name,
                    correlation);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, process, device, thread, kind, memory, bytes, address, total_bytes, reserved_bytes, name,
                    correlation);
  }
};

/// Unified-memory page faults. CPU faults have an instruction, GPU faults an end, a device and a count.
struct PageFaults {
  Times start;
  Times end;  ///< kUnknown for a CPU fault
  Ids process;
  Ints device;  ///< -1 for a CPU fault
  Longs address;
  Longs count;      ///< faults in this record
  Codes access;     ///< CUPTI's number (GPU)
  Ids instruction;  ///< NameId of symbol or address (CPU)
  Ids module;       ///< NameId (CPU)
  template <typename = void>
  auto columns() {
    return std::tie(start, end, process, device, address, count, access, instruction, module);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, process, device, address, count, access, instruction, module);
  }
};

/// A CUDA event recorded on a stream.
struct CudaEvents {
  Times start;  ///< when the GPU reached it; kUnknown before schema 3.24
  Ids stream;
  Ids correlation;
  Ids event;
  template <typename = void>
  auto columns() {
    return std::tie(start, stream, correlation, event);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, stream, correlation, event);
  }
};

/// Creation of a CUDA graph, an executable of it, or a clone.
struct GraphEvents {
  Times start;
  Times end;
  Ids thread;
  Ids name;
  Ints event_class;
  Longs graph;
  Longs original_graph;
  Longs executable;
  template <typename = void>
  auto columns() {
    return std::tie(start, end, thread, name, event_class, graph, original_graph, executable);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, end, thread, name, event_class, graph, original_graph, executable);
  }
};

/// What the recording tool said while it recorded.
struct Diagnostics {
  Times start;
  Ints severity;  ///< ENUM_DIAGNOSTIC_SEVERITY_LEVEL: 1 info, 2 warning, 3 error
  Ids text;
  Ids process;
  template <typename = void>
  auto columns() {
    return std::tie(start, severity, text, process);
  }
  template <typename = void>
  auto columns() const {
    return std::tie(start, severity, text, process);
  }
};

/// A collective operation as the framework or NCCL described it. Not sorted; kernels and ranges point here.
struct Collective {
  NameId name = kNone;  ///< allreduce, all_gather, ...
  NameId dtype = kNone;
  NameId group = kNone;        ///< process group's name
  NameId group_ranks = kNone;  ///< as recorded
  int64_t group_size = kUnknown;
  int64_t in_elements = kUnknown;
  int64_t out_elements = kUnknown;
  NameId algorithm = kNone;  ///< NCCL's: RING, TREE, ...
  NameId protocol = kNone;   ///< NCCL's: LL, LL128 or SIMPLE
  auto operator<=>(const Collective&) const = default;
};

/// Frames of call chains, innermost first. Chain i is frames [first[i], first[i + 1]).
struct CallChains {
  Ids first{0};
  Ids symbol;  ///< NameId
  Ids module;  ///< NameId
  Longs address;
  Codes kernel_mode;
  Ints line = {};  ///< of the source, of Python frames; shorter than the others where those behind have none
  [[nodiscard]] size_t size() const { return first.size() - 1; }
  [[nodiscard]] int32_t line_of(size_t frame) const { return frame < line.size() ? line[frame] : kUnknown32; }
};

}  // namespace sonde
