#include <algorithm>

#include "synth/recorder.h"
#include "trace/stream_flags.h"

namespace sonde::synth {
namespace {

constexpr int64_t kPid = 4242;
/// 2026-01-01T00:00:00Z: a fixed start keeps files equal from run to run.
constexpr int64_t kStartUtcNs = 1'767'225'600'000'000'000;

/// The figures of an H100 SXM5 80 GB (NVIDIA's H100 architecture paper), under a name that says it is none.
void describe_h100(Device& d) {
  d.name = "Synthetic H100 80GB";
  d.chip = "GH100";
  d.sm_count = 132;
  d.total_memory_bytes = 85'899'345'920;
  d.memory_bandwidth_bytes_per_s = 3'352'320'000'000;
  d.clock_hz = 1'980'000'000;
  d.l2_bytes = 52'428'800;
  d.compute_major = 9;
  d.compute_minor = 0;
  d.threads_per_warp = 32;
  d.max_threads_per_block = 1024;
  d.max_warps_per_sm = 64;
  d.max_blocks_per_sm = 32;
  d.max_registers_per_block = 65536;
  d.max_registers_per_sm = 65536;
  d.max_shared_bytes_per_block = 49152;
  d.max_shared_bytes_per_block_optin = 232448;
  d.max_shared_bytes_per_sm = 233472;
  d.copy_engines = 3;
}

}  // namespace

Recorder::Recorder(const Program& program, Form form)
    : program_(program),
      form_(form),
      open_ranges_(program.threads.size()),
      next_sample_(program.threads.size(), 0),
      allocated_(program.gpus, 0) {
  trace_.fields = Fields::all();
  describe_machine();
  describe_domains();
  describe_chains();
  for (const Kernel& k : program.kernels) {
    kernel_names_.push_back(
        {trace_.names.intern(k.name), trace_.names.intern(k.short_name), trace_.names.intern(k.mangled_name)});
  }
  for (int c = 0; c < static_cast<int>(ApiCall::count_); ++c) {
    call_names_.push_back(trace_.names.intern(info_of(static_cast<ApiCall>(c)).name));
  }
  for (const std::string& text : program.texts) text_names_.push_back(trace_.names.intern(text));
}

void Recorder::describe_machine() {
  Rank rank;
  rank.file = "synth";
  rank.format = "synth";
  rank.product = "Sonde synth";
  rank.utc_ns = kStartUtcNs;
  trace_.ranks.push_back(rank);
  Process process;
  process.pid = kPid;
  process.name = trace_.names.intern("python");
  trace_.processes.push_back(process);
  for (size_t i = 0; i < program_.threads.size(); ++i) {
    Thread thread;
    thread.process = 0;
    thread.tid = kPid + static_cast<int64_t>(i);
    thread.name = trace_.names.intern(program_.threads[i].name);
    trace_.threads.push_back(thread);
  }
  for (uint16_t gpu = 0; gpu < program_.gpus; ++gpu) describe_device(gpu);
  // Streams of the program first, then a whole context and the unified memory of each GPU.
  const auto add_stream = [&](uint16_t gpu, uint32_t context, uint32_t id, bool is_default, int priority,
                              bool blocking) {
    Stream s;
    s.process = 0;
    s.ordinal = gpu;
    s.device = gpu;
    s.context = context;
    s.stream = id;
    s.is_default = is_default;
    if (id != kNone && context != 0) s.priority = priority;
    if (blocking) s.flags = kStreamBlocking;
    trace_.streams.push_back(s);
  };
  for (const StreamInfo& s : program_.streams)
    add_stream(s.gpu, s.gpu + 1U, s.id, s.is_default, s.priority, s.blocking);
  for (uint16_t gpu = 0; gpu < program_.gpus; ++gpu) add_stream(gpu, gpu + 1U, kNone, false, 0, false);
  for (uint16_t gpu = 0; gpu < program_.gpus; ++gpu) add_stream(gpu, 0, 0, false, 0, false);
}

void Recorder::describe_device(uint16_t gpu) {
  Device d;
  d.id = gpu;
  d.cuda_ordinal = gpu;
  d.bus = fmt::format("0000:{:02x}:00.0", 0x19 + 0x10 * gpu);
  d.uuid = fmt::format("00000000-0000-0000-0000-{:012x}", gpu + 1);
  describe_h100(d);
  trace_.devices.push_back(d);
  for (const char* metric : {"SMs Active [Throughput %]", "DRAM Bandwidth [Throughput %]"}) {
    Counter counter;
    counter.name = trace_.names.intern(metric);
    counter.unit = trace_.names.intern("%");
    counter.source = trace_.names.intern("GPU Metrics");
    counter.device = gpu;
    counter.metric_id = static_cast<int64_t>(trace_.counters.size() % 2);
    trace_.counters.push_back(counter);
  }
}

void Recorder::describe_domains() {
  const auto domain = [&](std::string_view name, DomainKind kind) {
    trace_.domains.push_back({trace_.names.intern(name), kind});
    return static_cast<DomainId>(trace_.domains.size() - 1);
  };
  const bool torch = form_ == Form::torch;
  const DomainId outer = torch ? domain("", DomainKind::annotation) : domain("", DomainKind::nvtx);
  const DomainId module = torch ? domain("torch.module", DomainKind::module) : outer;
  const DomainId op = torch ? domain("torch.operator", DomainKind::op) : kNoDomain;
  for (const RangeName& r : program_.ranges) {
    const DomainId of_level = r.level == RangeLevel::op ? op : r.level == RangeLevel::module ? module : outer;
    const std::string& name = torch ? r.torch : r.nvtx;
    range_ids_.push_back({trace_.names.intern(name), name.empty() ? kNoDomain : of_level});
    range_shapes_.push_back(r.shapes.empty() ? kNone : trace_.names.intern(r.shapes));
  }
  if (program_.collective_elements == 0) return;
  Collective c;
  c.name = trace_.names.intern("allreduce");
  c.dtype = trace_.names.intern("BFloat16");
  c.group = trace_.names.intern("0");
  c.group_size = program_.gpus;
  c.in_elements = c.out_elements = program_.collective_elements;
  trace_.collectives.push_back(c);
}

/// A few call chains for samples to point to.
void Recorder::describe_chains() {
  constexpr const char* kLeaves[] = {"THPVariable_add", "at::native::add", "_PyEval_EvalFrameDefault",
                                     "c10::cuda::CUDACachingAllocator::malloc"};
  CallChains& chains = trace_.chains;
  for (const char* leaf : kLeaves) {
    int64_t address = 0x400000;
    for (const char* symbol : {leaf, "PyObject_Call", "main"}) {
      chains.symbol.push_back(trace_.names.intern(symbol));
      chains.module.push_back(trace_.names.intern("python3"));
      chains.address.push_back(address += 0x1000);
      chains.kernel_mode.push_back(0);
    }
    chains.first.push_back(static_cast<uint32_t>(chains.symbol.size()));
  }
}

Trace Recorder::take(int64_t total_ns) {
  Rank& rank = trace_.ranks.front();
  rank.capture_start_ns = 0;
  rank.capture_end_ns = total_ns;
  return std::move(trace_);
}

}  // namespace sonde::synth
