#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trace/events.h"

/// What is simulated: host threads with the steps that they take, kernels, streams. Plain data, made by a program
/// builder from options and changed by plants; the simulator gives it times.
namespace sonde::synth {

struct Kernel {
  std::string name;
  std::string short_name;
  std::string mangled_name;
  Dim3 grid{1, 1, 1};
  Dim3 block{1, 1, 1};
  int32_t registers = 32;
  int32_t static_shared_bytes = 0;
  int32_t dynamic_shared_bytes = 0;
  int64_t duration_ns = 0;
  int64_t dram_percent = 0;  ///< of the memory's bandwidth while it runs
  bool elementwise = false;
};

/// What a range is, from the outside in.
enum class RangeLevel : uint8_t { iteration, phase, module, op };

struct RangeName {
  RangeLevel level = RangeLevel::module;
  std::string nvtx;             ///< its name as an NVTX range; operators have none
  std::string torch;            ///< its name as torch.profiler would record it
  int64_t sequence = kUnknown;  ///< of an operator and its backward one, within the iteration
  bool backward = false;
  std::string shapes;
};

enum class ApiCall : uint8_t {
  launch_kernel,
  launch_library_kernel,
  launch_collective,
  copy_async,
  copy,
  set_async,
  record_event,
  stream_wait,
  synchronize_event,
  synchronize_stream,
  synchronize_device,
  allocate,
  release,
  allocate_host,
  create_stream,
  create_event,
  launch_graph,
  instantiate_graph,
  load_library,
  allocate_async,
  count_
};

struct ApiCallInfo {
  const char* name;  ///< as Nsight exports it
  CallClass call_class;
  int64_t cost_ns;  ///< on the host, of an H100 server's order
};
[[nodiscard]] const ApiCallInfo& info_of(ApiCall call);

enum class StepKind : uint8_t {
  push_range,     ///< what: range
  pop_range,      ///<
  host_work,      ///< amount: ns
  library_begin,  ///< what: name in `texts`; a cuBLAS call until library_end
  library_end,    ///<
  launch,         ///< what: kernel; amount: bytes of managed memory that it pulls to the GPU first
  collective,     ///< what: kernel; waits for those of all GPUs
  copy,           ///< amount: bytes; copy_kind, host_memory
  set,            ///< amount: bytes
  graph,          ///< what: graph; amount: ns on the GPU
  record_event,   ///< what: event
  stream_wait,    ///< what: event
  sync_event,     ///< what: event
  sync_stream,    ///<
  sync_device,    ///< every stream of the stream's GPU
  allocate,       ///< amount: bytes
  release,        ///< amount: bytes; waits for the whole GPU
  call,           ///< call: any other API call
  make_graph,     ///< what: graph
  os_call,        ///< what: name in `texts`; amount: ns
  post,           ///< what: semaphore
  wait,           ///< what: semaphore
  unified_read,   ///< amount: bytes that the host reads from managed memory after the GPU wrote them
  unified_write,  ///< amount: bytes that the GPU then pulls back
};

struct Step {
  StepKind kind = StepKind::host_work;
  ApiCall call = ApiCall::launch_kernel;
  CopyKind copy_kind = CopyKind::unknown;
  MemoryKind host_memory = MemoryKind::pinned;
  uint16_t stream = 0;  ///< of Program::streams
  uint32_t site = 0;    ///< names its random draws
  uint32_t what = 0;
  uint32_t memory = 0;  ///< names the managed memory that it touches; 0: its site does
  int64_t amount = 0;
  int32_t slowness = 1;                                 ///< a copy takes so many times what its bytes should
  int32_t until = std::numeric_limits<int32_t>::max();  ///< taken in iterations below this one
  int32_t every = 1;                                    ///< taken in each so-manieth iteration
  bool steady = false;                                  ///< host work that is no slower in the first iterations
};
using Steps = std::vector<Step>;

struct HostThread {
  std::string name;
  uint16_t gpu = 0;
  Steps before;     ///< once
  Steps iteration;  ///< repeated
  Steps after;      ///< once
};

struct StreamInfo {
  uint16_t gpu = 0;
  uint32_t id = 0;  ///< CUDA's number
  bool is_default = false;
  int priority = 0;
  /// Its operations wait for those of the GPU's null stream before them, and the other way round (CUDA's legacy default
  /// stream), without any call. Frameworks' own streams are made with cudaStreamNonBlocking.
  bool blocking = false;
};

struct Program {
  std::string name;
  uint16_t gpus = 1;
  std::vector<Kernel> kernels;
  std::vector<RangeName> ranges;
  std::vector<StreamInfo> streams;
  std::vector<HostThread> threads;
  std::vector<std::string> texts;
  std::vector<int32_t> semaphores;  ///< how often each is posted at the start
  uint32_t events = 0;
  uint32_t graphs = 0;
  int64_t sequences = 0;  ///< sequence numbers that an iteration uses up
  int64_t collective_elements = 0;
  int64_t recorded_permille = 1000;  ///< of the run's time; what ends later is not in the profile
};

}  // namespace sonde::synth
