#include "importers/nsys_report/entities.h"

#include <algorithm>
#include <array>
#include <map>

#include "importers/nsys/streams.h"

/// Names of processes and threads, GPUs, and streams of a report.
namespace sonde::nsys {
namespace {

/// The first `kCount` fields of a message, where they are numbers.
template <size_t kCount>
struct Numbers {
  std::array<int64_t, kCount> value;
  explicit Numbers(Message m) {
    value.fill(kUnknown);
    while (m.next()) {
      if (m.tag() < kCount && m.wire_type() == protozero::pbf_wire_type::varint) {
        value[m.tag()] = integer_of(m);
      } else {
        m.skip();
      }
    }
  }
  int64_t operator[](size_t tag) const { return value[tag]; }
  [[nodiscard]] int64_t get(size_t tag, int64_t absent) const { return value[tag] == kUnknown ? absent : value[tag]; }
};

void name_processes(NsysRun& run, std::span<const ProcessName> names) {
  Trace& t = run.trace();
  for (const ProcessName& p : names) {
    const auto known = run.processes().find(p.process);
    if (known != run.processes().end()) t.processes[known->second].name = t.names.intern(p.name);
  }
}

void name_threads(NsysRun& run, std::string_view threads) {
  each_message(message_of(threads), 1, [&](const Message& m) {
    const Numbers<5> f(m);
    const auto known = run.threads().find(static_cast<uint64_t>(f.get(4, 0)));
    if (known == run.threads().end()) return;
    Thread& thread = run.trace().threads[known->second];
    thread.name = string_id(f[2]);
    if (f[3] != kUnknown) thread.priority = static_cast<int>(f[3]);
  });
  for (const auto& [global_id, thread] : run.threads()) run.name_later(run.trace().threads[thread].name);
}

/// An attribute of a GPU and its field.
struct Attribute {
  std::optional<int64_t> Device::* member;
  uint32_t field;
};

constexpr auto kAttributes = std::to_array<Attribute>({
    {&Device::cuda_ordinal, 9},
    {&Device::l2_bytes, 10},
    {&Device::total_memory_bytes, 11},
    {&Device::memory_bandwidth_bytes_per_s, 12},
    {&Device::clock_hz, 13},
    {&Device::sm_count, 14},
    {&Device::max_registers_per_block, 25},
    {&Device::max_shared_bytes_per_block, 26},
    {&Device::max_shared_bytes_per_block_optin, 27},
    {&Device::max_shared_bytes_per_sm, 28},
    {&Device::max_registers_per_sm, 29},
    {&Device::threads_per_warp, 30},
    {&Device::copy_engines, 31},
    {&Device::max_warps_per_sm, 32},
    {&Device::max_blocks_per_sm, 33},
    {&Device::max_threads_per_block, 34},
    {&Device::compute_major, 41},
    {&Device::compute_minor, 42},
    {&Device::is_discrete, 4},
    {&Device::luid, 6},
    {&Device::perfworks_id, 15},
    {&Device::revision, 21},
    {&Device::node_mask, 22},
    {&Device::constant_bytes, 23},
    {&Device::max_ipc, 24},
    {&Device::max_block_x, 35},
    {&Device::max_block_y, 36},
    {&Device::max_block_z, 37},
    {&Device::max_grid_x, 38},
    {&Device::max_grid_y, 39},
    {&Device::max_grid_z, 40},
    {&Device::sm_major, 43},
    {&Device::sm_minor, 44},
});

void read_gpu(NsysRun& run, Message m) {
  const Numbers<45> numbers(m);
  if (numbers[14] == 0) return;  // an adapter without SMs is not a GPU that CUDA could use
  Device& d = run.trace().devices.emplace_back();
  d.rank = run.rank();
  d.id = numbers.get(1, 0);
  for (const Attribute& a : kAttributes) {
    if (numbers[a.field] != kUnknown) d.*a.member = numbers[a.field];
  }
  while (m.next()) {
    switch (m.tag_and_type()) {
      case bytes_field(2): d.name = text_of(m); break;
      case bytes_field(3): d.bus = text_of(m); break;
      case bytes_field(5): d.uuid = text_of(m); break;
      case bytes_field(7): d.chip = text_of(m); break;
      case bytes_field(16): d.context_switch_path = text_of(m); break;
      case bytes_field(17): d.control_path = text_of(m); break;
      default: m.skip();
    }
  }
}

/// Calls `f` with the description of each machine that was recorded.
void each_machine(std::string_view target, auto&& f) {
  each_message(message_of(target), 1, [&](const Message& vm) { each_message(vm, 2, f); });
}

GpuOfOrdinal read_ordinals(std::string_view target) {
  GpuOfOrdinal gpus;
  each_machine(target, [&](const Message& machine) {
    each_message(machine, 9, [&](const Message& m) {
      const Numbers<4> f(m);
      if (f[1] != kUnknown) gpus[{f.get(3, 0), f.get(2, 0)}] = f[1];
    });
  });
  return gpus;
}

/// The export's number of a GPU is the one that a process uses; the GPU's own field 9 repeats its id.
void number_gpus(NsysRun& run, const GpuOfOrdinal& gpu_of_ordinal) {
  std::map<int64_t, int64_t> ordinals;
  for (const auto& [process_and_ordinal, gpu] : gpu_of_ordinal) ordinals.emplace(gpu, process_and_ordinal.second);
  for (Device& d : run.trace().devices) {
    const auto found = d.rank == run.rank() ? ordinals.find(d.id) : ordinals.end();
    if (found != ordinals.end()) d.cuda_ordinal = found->second;
  }
}

void read_streams(NsysRun& run, std::string_view target) {
  std::vector<StreamFacts> facts;
  each_message(message_of(target), 15, [&](const Message& m) {
    const Numbers<8> f(m);
    facts.push_back(
        {{f.get(4, 0), f.get(5, 0), f.get(1, 0)}, static_cast<int>(f.get(6, 0)), static_cast<int>(f.get(7, 0))});
  });
  describe_streams(run, facts);
  each_message(message_of(target), 14, [&](const Message& m) {
    const Numbers<7> f(m);
    mark_default_stream(run, {f.get(4, -1), f.get(6, -1), f.get(1, -1)});
  });
}

}  // namespace

void read_report_entities(NsysRun& run, const ReportLayout& layout, const ReportPart& events) {
  name_processes(run, events.processes);
  name_threads(run, layout.threads);
  each_machine(layout.target, [&](const Message& machine) {
    each_message(machine, 7, [&](const Message& gpu) { read_gpu(run, gpu); });
  });
  const GpuOfOrdinal gpu_of_ordinal = read_ordinals(layout.target);
  number_gpus(run, gpu_of_ordinal);
  place_streams(run, gpu_of_ordinal);
  if (run.wants(Field::streams)) read_streams(run, layout.target);
}

void count_target(const ReportLayout& layout, std::vector<std::pair<std::string, int64_t>>& holds) {
  int64_t gpus = 0, ordinals = 0, streams = 0, contexts = 0;
  each_machine(layout.target, [&](const Message& machine) {
    each_message(machine, 7, [&](const Message&) { ++gpus; });
    each_message(machine, 9, [&](const Message&) { ++ordinals; });
  });
  each_message(message_of(layout.target), 14, [&](const Message&) { ++contexts; });
  each_message(message_of(layout.target), 15, [&](const Message&) { ++streams; });
  for (const auto& [table, rows] :
       {std::pair{"TARGET_INFO_GPU", gpus}, std::pair{"TARGET_INFO_CUDA_DEVICE", ordinals},
        std::pair{"TARGET_INFO_CUDA_STREAM", streams}, std::pair{"TARGET_INFO_CUDA_CONTEXT_INFO", contexts}}) {
    if (rows > 0) holds.emplace_back(table, rows);
  }
}

}  // namespace sonde::nsys
