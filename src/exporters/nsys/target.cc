#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <tuple>

#include "base/text/calendar.h"
#include "exporters/nsys/sections.h"
#include "trace/stream_flags.h"

namespace sonde::nsys_export {
namespace {

using Names = StringPool;
using NameColumn = ColumnOf<Names>;
constexpr std::array kStringColumns = {
    NameColumn{"id", kIntegerKey, [](const Context&, const Names&, size_t row) { return Cell(int64_t(row)); }},
    NameColumn{"value", kTextSet,
               [](const Context&, const Names& names, size_t row) {
                 const std::string_view text = names.view(static_cast<NameId>(row));
                 return Cell(text.data() == nullptr ? std::string_view("") : text);
               }},
};

using Processes = std::vector<Process>;
using ProcessColumn = ColumnOf<Processes>;
constexpr std::array kProcessColumns = {
    ProcessColumn{"globalPid", kInteger,
                  [](const Context& c, const Processes&, size_t row) { return Cell(c.ids.process(ProcessId(row))); }},
    ProcessColumn{"pid", kInteger,
                  [](const Context& c, const Processes&, size_t row) {
                    return Cell(GlobalIds::pid(c.ids.process(ProcessId(row))));
                  }},
    ProcessColumn{"name", kText,
                  [](const Context& c, const Processes& all, size_t row) {
                    return all[row].name == kNone ? Cell() : Cell(c.trace.name(all[row].name));
                  }},
};

/// What recording one event of a kind cost the thread that it happened on.
struct EventCost {
  ProcessId process;
  std::string_view kind;
  int64_t cost_ns;
};
using EventCosts = std::vector<EventCost>;

using EventCostColumn = ColumnOf<EventCosts>;
constexpr std::array kEventCostColumns = {
    EventCostColumn{
        "globalPid", kIntegerSet,
        [](const Context& c, const EventCosts& all, size_t row) { return Cell(c.ids.process(all[row].process)); }},
    EventCostColumn{"eventKind", kTextSet,
                    [](const Context&, const EventCosts& all, size_t row) { return Cell(all[row].kind); }},
    EventCostColumn{"costNs", kIntegerSet,
                    [](const Context&, const EventCosts& all, size_t row) { return Cell(all[row].cost_ns); }},
};

EventCosts event_costs(const Processes& processes) {
  EventCosts costs;
  for (ProcessId process = 0; process < processes.size(); ++process) {
    const Process& of = processes[process];
    if (of.call_cost_ns > 0) costs.push_back({process, "cuda_call", of.call_cost_ns});
    if (of.event_cost_ns > 0) costs.push_back({process, "event", of.event_cost_ns});
  }
  return costs;
}

/// Sonde's own.
constexpr std::array kProcessRankColumns = {
    ProcessColumn{"globalPid", kIntegerSet,
                  [](const Context& c, const Processes&, size_t row) { return Cell(c.ids.process(ProcessId(row))); }},
    ProcessColumn{"rank", kIntegerSet,
                  [](const Context&, const Processes& all, size_t row) { return Cell(all[row].job_rank); }},
    ProcessColumn{"worldSize", kInteger,
                  [](const Context&, const Processes& all, size_t row) { return Cell(all[row].job_ranks); }},
    ProcessColumn{"localRank", kInteger,
                  [](const Context&, const Processes& all, size_t row) { return Cell(all[row].local_rank); }},
};

using Threads = std::vector<Thread>;
using ThreadColumn = ColumnOf<Threads>;
constexpr std::array kThreadColumns = {
    ThreadColumn{"nameId", kIntegerSet,
                 [](const Context&, const Threads& all, size_t row) { return Cell(all[row].name); }},
    ThreadColumn{"priority", kInteger,
                 [](const Context&, const Threads& all, size_t row) { return Cell(all[row].priority); }},
    ThreadColumn{"globalTid", kInteger,
                 [](const Context& c, const Threads&, size_t row) { return Cell(c.ids.thread(ThreadId(row))); }},
};

using Devices = std::vector<Device>;
using DeviceColumn = ColumnOf<Devices>;

template <auto member>
Cell of_device(const Context&, const Devices& all, size_t row) {
  return Cell(all[row].*member);
}

template <auto member>
Cell text_of_device(const Context&, const Devices& all, size_t row) {
  return (all[row].*member).empty() ? Cell() : Cell(all[row].*member);
}

constexpr std::array kDeviceColumns = {
    DeviceColumn{"vmId", kIntegerSet,
                 [](const Context&, const Devices& all, size_t row) { return Cell(int64_t{all[row].rank + 1} << 48); }},
    DeviceColumn{"id", kIntegerSet, [](const Context& c, const Devices&, size_t row) { return Cell(c.gpu_ids[row]); }},
    DeviceColumn{"name", kText, text_of_device<&Device::name>},
    DeviceColumn{"busLocation", kText, text_of_device<&Device::bus>},
    DeviceColumn{"isDiscrete", kInteger, of_device<&Device::is_discrete>},
    DeviceColumn{"l2CacheSize", kInteger, of_device<&Device::l2_bytes>},
    DeviceColumn{"totalMemory", kInteger, of_device<&Device::total_memory_bytes>},
    DeviceColumn{"memoryBandwidth", kInteger, of_device<&Device::memory_bandwidth_bytes_per_s>},
    DeviceColumn{"clockRate", kInteger, of_device<&Device::clock_hz>},
    DeviceColumn{"smCount", kInteger, of_device<&Device::sm_count>},
    DeviceColumn{"pwGpuId", kInteger, of_device<&Device::perfworks_id>},
    DeviceColumn{"uuid", kText, text_of_device<&Device::uuid>},
    DeviceColumn{"luid", kInteger, of_device<&Device::luid>},
    DeviceColumn{"chipName", kText, text_of_device<&Device::chip>},
    DeviceColumn{"cuDevice", kInteger, of_device<&Device::cuda_ordinal>},
    DeviceColumn{"ctxswDevPath", kText, of_device<&Device::context_switch_path>},
    DeviceColumn{"ctrlDevPath", kText, of_device<&Device::control_path>},
    DeviceColumn{"revision", kInteger, of_device<&Device::revision>},
    DeviceColumn{"nodeMask", kInteger, of_device<&Device::node_mask>},
    DeviceColumn{"constantMemory", kInteger, of_device<&Device::constant_bytes>},
    DeviceColumn{"maxIPC", kInteger, of_device<&Device::max_ipc>},
    DeviceColumn{"maxRegistersPerBlock", kInteger, of_device<&Device::max_registers_per_block>},
    DeviceColumn{"maxShmemPerBlock", kInteger, of_device<&Device::max_shared_bytes_per_block>},
    DeviceColumn{"maxShmemPerBlockOptin", kInteger, of_device<&Device::max_shared_bytes_per_block_optin>},
    DeviceColumn{"maxShmemPerSm", kInteger, of_device<&Device::max_shared_bytes_per_sm>},
    DeviceColumn{"maxRegistersPerSm", kInteger, of_device<&Device::max_registers_per_sm>},
    DeviceColumn{"threadsPerWarp", kInteger, of_device<&Device::threads_per_warp>},
    DeviceColumn{"asyncEngines", kInteger, of_device<&Device::copy_engines>},
    DeviceColumn{"maxWarpsPerSm", kInteger, of_device<&Device::max_warps_per_sm>},
    DeviceColumn{"maxBlocksPerSm", kInteger, of_device<&Device::max_blocks_per_sm>},
    DeviceColumn{"maxThreadsPerBlock", kInteger, of_device<&Device::max_threads_per_block>},
    DeviceColumn{"maxBlockDimX", kInteger, of_device<&Device::max_block_x>},
    DeviceColumn{"maxBlockDimY", kInteger, of_device<&Device::max_block_y>},
    DeviceColumn{"maxBlockDimZ", kInteger, of_device<&Device::max_block_z>},
    DeviceColumn{"maxGridDimX", kInteger, of_device<&Device::max_grid_x>},
    DeviceColumn{"maxGridDimY", kInteger, of_device<&Device::max_grid_y>},
    DeviceColumn{"maxGridDimZ", kInteger, of_device<&Device::max_grid_z>},
    DeviceColumn{"computeMajor", kInteger, of_device<&Device::compute_major>},
    DeviceColumn{"computeMinor", kInteger, of_device<&Device::compute_minor>},
    DeviceColumn{"smMajor", kInteger, of_device<&Device::sm_major>},
    DeviceColumn{"smMinor", kInteger, of_device<&Device::sm_minor>},
};

/// A GPU under its CUDA number in a process.
struct Mapping {
  DeviceId device;
  int32_t ordinal;
  ProcessId process;
  auto operator<=>(const Mapping&) const = default;
};
using Mappings = std::vector<Mapping>;

using MappingColumn = ColumnOf<Mappings>;
constexpr std::array kMappingColumns = {
    MappingColumn{"gpuId", kInteger,
                  [](const Context& c, const Mappings& m, size_t row) { return Cell(c.gpu_ids[m[row].device]); }},
    MappingColumn{"cudaId", kIntegerSet,
                  [](const Context&, const Mappings& m, size_t row) { return Cell(m[row].ordinal); }},
    MappingColumn{"pid", kIntegerSet,
                  [](const Context& c, const Mappings& m, size_t row) {
                    return Cell(GlobalIds::pid(c.ids.process(m[row].process)));
                  }},
};

Mappings cuda_devices(const Trace& trace) {
  std::set<Mapping> found;
  for (const Stream& s : trace.streams) {
    if (s.device != kNone && s.process != kNone && s.ordinal >= 0) found.insert({s.device, s.ordinal, s.process});
  }
  return {found.begin(), found.end()};
}

using Streams = std::vector<Stream>;
using StreamColumn = ColumnOf<Streams>;

Cell stream_vm(const Context& c, const Streams& s, size_t row) { return GlobalIds::vm(c.ids.process(s[row].process)); }
Cell stream_pid(const Context& c, const Streams& s, size_t row) {
  return GlobalIds::pid(c.ids.process(s[row].process));
}
Cell zero(const Context&, const Streams&, size_t) { return int64_t{0}; }

/// ENUM_CUPTI_STREAM_TYPE.
Cell stream_flag(const Context&, const Streams& s, size_t row) {
  return Cell(s[row].flags).otherwise(s[row].is_default ? kStreamNull : 0);
}

constexpr std::array kStreamColumns = {
    StreamColumn{"streamId", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(s[row].stream); }},
    StreamColumn{"hwId", kIntegerSet, zero},
    StreamColumn{"vmId", kIntegerSet, stream_vm},
    StreamColumn{"processId", kIntegerSet, stream_pid},
    StreamColumn{"contextId", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(int64_t{s[row].context}); }},
    StreamColumn{"priority", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(s[row].priority).otherwise(0); }},
    StreamColumn{"flag", kIntegerSet, stream_flag},
};

constexpr std::array kContextColumns = {
    StreamColumn{"nullStreamId", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(s[row].stream).otherwise(kNoId); }},
    StreamColumn{"hwId", kIntegerSet, zero},
    StreamColumn{"vmId", kIntegerSet, stream_vm},
    StreamColumn{"processId", kIntegerSet, stream_pid},
    StreamColumn{"deviceId", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(int64_t{s[row].ordinal}); }},
    StreamColumn{"contextId", kIntegerSet,
                 [](const Context&, const Streams& s, size_t row) { return Cell(int64_t{s[row].context}); }},
    StreamColumn{"parentContextId", kInteger},
    StreamColumn{"isGreenContext", kInteger},
};

/// Each context once, by its null stream where that is known, else as a stream without an id.
Streams contexts(const Trace& trace) {
  std::set<std::tuple<ProcessId, int32_t, uint32_t>> seen;
  Streams found;
  const auto add = [&](Stream s, bool null_stream) {
    if (s.context == 0 || s.process == kNone || s.is_default != null_stream) return;
    if (!seen.insert({s.process, s.ordinal, s.context}).second) return;
    if (!null_stream) s.stream = kNone;
    found.push_back(s);
  };
  for (const Stream& s : trace.streams) add(s, true);
  for (const Stream& s : trace.streams) add(s, false);
  return found;
}

using Ranks = std::vector<Rank>;
using RankColumn = ColumnOf<Ranks>;
/// Local time is UTC and an offset: `ahead` gives it, absent where the source does not tell it.
Cell moment_of(const Rank& rank, std::optional<int64_t> ahead) {
  static thread_local std::string text;
  if (!rank.utc_ns || !ahead) return {};
  text = moment_text(std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds(*rank.utc_ns)).count() + *ahead);
  return std::string_view(text);
}

/// Nsight's table shows when the recording began and ended on the recorder's own clock.
int64_t clock_at_start(const Rank& rank) { return rank.capture_clock_ns.value_or(*rank.capture_start_ns); }
int64_t clock_at_stop(const Rank& rank) {
  return static_cast<int64_t>(static_cast<uint64_t>(clock_at_start(rank)) +
                              static_cast<uint64_t>(*rank.capture_end_ns) -
                              static_cast<uint64_t>(*rank.capture_start_ns));
}

constexpr std::array kStartColumns = {
    RankColumn{"utcEpochNs", kInteger, [](const Context&, const Ranks& r, size_t row) { return Cell(r[row].utc_ns); }},
    RankColumn{"utcTime", kText, [](const Context&, const Ranks& r, size_t row) { return moment_of(r[row], 0); }},
    RankColumn{"localTime", kText,
               [](const Context&, const Ranks& r, size_t row) { return moment_of(r[row], r[row].utc_offset_s); }},
    RankColumn{"systemClockNs", kInteger,
               [](const Context&, const Ranks& r, size_t row) { return Cell(r[row].capture_clock_ns); }},
};

constexpr std::array kDetailColumns = {
    RankColumn{"globalVid", kIntegerSet,
               [](const Context&, const Ranks&, size_t row) { return Cell((int64_t(row) + 1) << 48); }},
    RankColumn{"duration", kIntegerSet,
               [](const Context&, const Ranks& r, size_t row) {
                 return Cell(*r[row].capture_end_ns - *r[row].capture_start_ns);
               }},
    RankColumn{"startTime", kIntegerSet,
               [](const Context&, const Ranks& r, size_t row) { return Cell(clock_at_start(r[row])).otherwise(0); }},
    RankColumn{"stopTime", kIntegerSet,
               [](const Context&, const Ranks& r, size_t row) { return Cell(clock_at_stop(r[row])).otherwise(0); }},
};

/// All ranks of a trace share its origin: the file has one start time.
Status write_session(Output& out, const Context& c) {
  const Ranks& ranks = c.trace.ranks;
  const auto first = std::ranges::find_if(ranks, [](const Rank& r) { return r.utc_ns.has_value(); });
  const auto is_first = [&](size_t row) { return ranks.begin() + static_cast<std::ptrdiff_t>(row) == first; };
  SONDE_TRY(write_rows<Ranks>(out, "TARGET_INFO_SESSION_START_TIME", kStartColumns, c, ranks, ranks.size(), is_first));
  return write_rows<Ranks>(out, "ANALYSIS_DETAILS", kDetailColumns, c, ranks, ranks.size(),
                           [&](size_t row) { return ranks[row].capture_start_ns && ranks[row].capture_end_ns; });
}

Status write_streams(Output& out, const Context& c) {
  const Streams& streams = c.trace.streams;
  const auto created = [&](size_t row) {
    return streams[row].stream != kNone && streams[row].context != 0 && streams[row].process != kNone;
  };
  const Streams found = contexts(c.trace);
  SONDE_TRY(write_rows<Streams>(out, "TARGET_INFO_CUDA_CONTEXT_INFO", kContextColumns, c, found, found.size()));
  return write_rows<Streams>(out, "TARGET_INFO_CUDA_STREAM", kStreamColumns, c, streams, streams.size(), created);
}

}  // namespace

std::vector<int64_t> number_gpus(const Trace& trace) {
  std::vector<int64_t> own;
  for (const Device& d : trace.devices) own.push_back(d.id);
  const std::set<int64_t> distinct(own.begin(), own.end());
  if (distinct.size() == own.size()) return own;
  for (size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int64_t>(i);
  return own;
}

Status write_strings(Output& out, const Context& c) {
  const StringPool& names = c.trace.names;
  const bool add_empty = static_cast<size_t>(c.empty_string) == names.size();
  return write_rows<Names>(out, "StringIds", kStringColumns, c, names, names.size() + (add_empty ? 1 : 0));
}

Status write_target(Output& out, const Context& c) {
  const Trace& t = c.trace;
  const Mappings mappings = cuda_devices(t);
  SONDE_TRY(write_session(out, c));
  SONDE_TRY(write_rows<Devices>(out, "TARGET_INFO_GPU", kDeviceColumns, c, t.devices, t.devices.size()));
  SONDE_TRY(write_rows<Mappings>(out, "TARGET_INFO_CUDA_DEVICE", kMappingColumns, c, mappings, mappings.size()));
  SONDE_TRY(write_streams(out, c));
  SONDE_TRY(write_rows<Processes>(out, "PROCESSES", kProcessColumns, c, t.processes, t.processes.size()));
  const EventCosts costs = event_costs(t.processes);
  SONDE_TRY(write_rows<EventCosts>(out, "SONDE_EVENT_COST", kEventCostColumns, c, costs, costs.size()));
  SONDE_TRY(write_rows<Processes>(out, "SONDE_PROCESS_RANK", kProcessRankColumns, c, t.processes, t.processes.size(),
                                  [&](size_t row) { return t.processes[row].job_rank.has_value(); }));
  return write_rows<Threads>(out, "ThreadNames", kThreadColumns, c, t.threads, t.threads.size(),
                             [&](size_t row) { return t.threads[row].name != kNone; });
}

}  // namespace sonde::nsys_export
