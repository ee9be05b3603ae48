#include <algorithm>
#include <functional>

#include "importers/nsys/streams.h"
#include "importers/nsys/tables.h"

/// Names of processes and threads, GPUs, and which GPU a process means by a device number.
namespace sonde::nsys {
namespace {

void name_processes(NsysFile& file) {
  TableQuery query = file.query("PROCESSES");
  if (!query.exists()) return;
  const Cell id = query.column("globalPid");
  const Cell name = query.column("name");
  Trace& t = file.trace();
  file.each_row(query, [&](auto& row) {
    const auto known = file.processes().find(static_cast<uint64_t>(row.integer(id, 0)));
    if (known != file.processes().end() && !row.is_null(name)) {
      t.processes[known->second].name = t.names.intern(row.text(name));
    }
  });
}

/// Written by Sonde's recorder alone.
void read_event_costs(NsysFile& file) {
  TableQuery query = file.query("SONDE_EVENT_COST");
  if (!query.exists()) return;
  const Cell id = query.column("globalPid");
  const Cell kind = query.column("eventKind");
  const Cell cost = query.column("costNs");
  file.each_row(query, [&](auto& row) {
    const auto known = file.processes().find(static_cast<uint64_t>(row.integer(id, 0)));
    if (known == file.processes().end() || row.integer(cost, 0) <= 0) return;
    Process& process = file.trace().processes[known->second];
    if (row.text(kind) == "cuda_call") process.call_cost_ns = row.integer(cost, 0);
    if (row.text(kind) == "event") process.event_cost_ns = row.integer(cost, 0);
  });
}

/// The file is of a rank where all its processes that have one have the same.
void read_ranks(NsysFile& file) {
  TableQuery query = file.query("SONDE_PROCESS_RANK");
  if (!query.exists()) return;
  const Cell id = query.column("globalPid");
  const Cell rank = query.column("rank");
  const Cell ranks = query.column("worldSize");
  const Cell local_rank = query.column("localRank");
  const auto number = [](auto& row, const Cell& cell) {
    return row.is_null(cell) ? std::nullopt : std::optional<int>(static_cast<int>(row.integer(cell, 0)));
  };
  Rank& of_file = file.trace().ranks[file.rank()];
  bool several = false;
  file.each_row(query, [&](auto& row) {
    const std::optional<int> found = number(row, rank);
    several = several || (of_file.rank && of_file.rank != found);
    of_file.rank = found;
    of_file.world_size = number(row, ranks);
    const auto known = file.processes().find(static_cast<uint64_t>(row.integer(id, 0)));
    if (known == file.processes().end()) return;
    Process& process = file.trace().processes[known->second];
    process.job_rank = found;
    process.job_ranks = of_file.world_size;
    process.local_rank = number(row, local_rank);
  });
  if (several) of_file.rank.reset();
}

void name_threads(NsysFile& file) {
  TableQuery query = file.query("ThreadNames");
  if (!query.exists()) return;
  const Cell id = query.column("globalTid");
  const Cell name = query.column("nameId");
  const Cell priority = query.column("priority");
  file.each_row(query, [&](auto& row) {
    const auto known = file.threads().find(static_cast<uint64_t>(row.integer(id, 0)));
    if (known == file.threads().end()) return;
    Thread& thread = file.trace().threads[known->second];
    thread.name = row.string_id(name);
    if (!row.is_null(priority)) thread.priority = static_cast<int>(row.integer(priority, 0));
  });
  for (const auto& [global_id, thread] : file.threads()) file.name_later(file.trace().threads[thread].name);
}

/// One attribute of a GPU and the names that its column had.
struct GpuAttribute {
  std::optional<int64_t> Device::* member = nullptr;
  std::initializer_list<std::string_view> columns;
  int64_t scale = 1;
};

/// TARGET_INFO_GPU from 2022 on; rates are in bytes/s and Hz.
const std::initializer_list<GpuAttribute> kGpuAttributes = {
    {&Device::cuda_ordinal, {"cuDevice"}},
    {&Device::sm_count, {"smCount"}},
    {&Device::total_memory_bytes, {"totalMemory"}},
    {&Device::memory_bandwidth_bytes_per_s, {"memoryBandwidth"}},
    {&Device::clock_hz, {"clockRate"}},
    {&Device::l2_bytes, {"l2CacheSize"}},
    {&Device::compute_major, {"computeMajor"}},
    {&Device::compute_minor, {"computeMinor"}},
    {&Device::threads_per_warp, {"threadsPerWarp"}},
    {&Device::max_threads_per_block, {"maxThreadsPerBlock"}},
    {&Device::max_warps_per_sm, {"maxWarpsPerSm"}},
    {&Device::max_blocks_per_sm, {"maxBlocksPerSm"}},
    {&Device::max_registers_per_block, {"maxRegistersPerBlock"}},
    {&Device::max_registers_per_sm, {"maxRegistersPerSm"}},
    {&Device::max_shared_bytes_per_block, {"maxShmemPerBlock"}},
    {&Device::max_shared_bytes_per_block_optin, {"maxShmemPerBlockOptin"}},
    {&Device::max_shared_bytes_per_sm, {"maxShmemPerSm"}},
    {&Device::copy_engines, {"asyncEngines"}},
    {&Device::is_discrete, {"isDiscrete"}},
    {&Device::perfworks_id, {"pwGpuId"}},
    {&Device::luid, {"luid"}},
    {&Device::revision, {"revision"}},
    {&Device::node_mask, {"nodeMask"}},
    {&Device::constant_bytes, {"constantMemory"}},
    {&Device::max_ipc, {"maxIPC"}},
    {&Device::max_block_x, {"maxBlockDimX"}},
    {&Device::max_block_y, {"maxBlockDimY"}},
    {&Device::max_block_z, {"maxBlockDimZ"}},
    {&Device::max_grid_x, {"maxGridDimX"}},
    {&Device::max_grid_y, {"maxGridDimY"}},
    {&Device::max_grid_z, {"maxGridDimZ"}},
    {&Device::sm_major, {"smMajor"}},
    {&Device::sm_minor, {"smMinor"}},
};

/// CUPTI's names; rates are in kB/s and kHz.
const std::initializer_list<GpuAttribute> kCuptiAttributes = {
    {&Device::sm_count, {"numMultiprocessors"}},
    {&Device::total_memory_bytes, {"globalMemorySize"}},
    {&Device::memory_bandwidth_bytes_per_s, {"globalMemoryBandwidth"}, 1000},
    {&Device::clock_hz, {"coreClockRate"}, 1000},
    {&Device::l2_bytes, {"l2CacheSize"}},
    {&Device::compute_major, {"computeCapabilityMajor"}},
    {&Device::compute_minor, {"computeCapabilityMinor"}},
    {&Device::threads_per_warp, {"numThreadsPerWarp"}},
    {&Device::max_threads_per_block, {"maxThreadsPerBlock"}},
    {&Device::max_warps_per_sm, {"maxWarpsPerMultiprocessor"}},
    {&Device::max_blocks_per_sm, {"maxBlocksPerMultiprocessor"}},
    {&Device::max_registers_per_block, {"maxRegistersPerBlock"}},
    {&Device::max_registers_per_sm, {"maxRegistersPerMultiprocessor"}},
    {&Device::max_shared_bytes_per_block, {"maxSharedMemoryPerBlock"}},
    {&Device::max_shared_bytes_per_sm, {"maxSharedMemoryPerMultiprocessor"}},
    {&Device::copy_engines, {"numMemcpyEngines"}},
    {&Device::constant_bytes, {"constantMemorySize"}},
    {&Device::max_ipc, {"maxIPC"}},
    {&Device::max_block_x, {"maxBlockDimX"}},
    {&Device::max_block_y, {"maxBlockDimY"}},
    {&Device::max_block_z, {"maxBlockDimZ"}},
    {&Device::max_grid_x, {"maxGridDimX"}},
    {&Device::max_grid_y, {"maxGridDimY"}},
    {&Device::max_grid_z, {"maxGridDimZ"}},
};

/// Fills the attributes that a row has. `device_of` gives the device that a row describes, or null.
void read_attributes(NsysFile& file, TableQuery& query, std::initializer_list<GpuAttribute> attributes,
                     const std::function<Device*(RowReader&)>& device_of) {
  std::vector<Cell> cells;
  for (const GpuAttribute& a : attributes) cells.push_back(query.column(a.columns));
  file.each_row(query, [&](auto& row) {
    Device* device = device_of(row);
    if (device == nullptr) return;
    const Cell* cell = cells.data();
    for (const GpuAttribute& a : attributes) {
      if (!row.is_null(*cell)) device->*a.member = row.integer(*cell, 0) * a.scale;
      ++cell;
    }
  });
}

void read_gpus(NsysFile& file) {
  TableQuery query = file.query("TARGET_INFO_GPU");
  if (!query.exists()) return;
  const Cell id = query.column({"id", "deviceId"});
  const Cell name = query.column("name");
  const Cell bus = query.column("busLocation");
  const Cell uuid = query.column("uuid");
  const Cell chip = query.column("chipName");
  const Cell switches = query.column("ctxswDevPath");
  const Cell control = query.column("ctrlDevPath");
  const Cell sms = query.column("smCount");
  read_attributes(file, query, kGpuAttributes, [&](auto& row) -> Device* {
    // The table lists every adapter of the host; one without SMs is not a GPU that CUDA could use.
    if (!row.is_null(sms) && row.integer(sms, 0) == 0) return nullptr;
    Device& d = file.trace().devices.emplace_back();
    d.rank = file.rank();
    d.id = row.integer(id, 0);
    d.name = row.text(name);
    d.bus = row.text(bus);
    d.uuid = row.text(uuid);
    d.chip = row.text(chip);
    if (!row.is_null(switches)) d.context_switch_path = row.text(switches);
    if (!row.is_null(control)) d.control_path = row.text(control);
    return &d;
  });
}

void read_old_attributes(NsysFile& file) {
  TableQuery query = file.query("TARGET_INFO_CUDA_GPU");
  if (!query.exists()) return;
  const Cell id = query.column("deviceId");
  // Joined by device number.
  read_cupti_device(file, query, [&](auto& row) -> Device* {
    const int64_t wanted = row.integer(id, -1);
    for (Device& d : file.trace().devices) {
      if (d.rank == file.rank() && d.id == wanted) return &d;
    }
    return nullptr;
  });
}

/// Where the file tells (from 2025 on).
GpuOfOrdinal read_ordinals(NsysFile& file) {
  GpuOfOrdinal ids;
  TableQuery query = file.query("TARGET_INFO_CUDA_DEVICE");
  if (!query.exists()) return ids;
  const Cell gpu = query.column("gpuId");
  const Cell cuda = query.column("cudaId");
  const Cell pid = query.column("pid");
  file.each_row(query, [&](auto& row) {
    if (!row.is_null(gpu)) ids[{row.integer(pid, 0), row.integer(cuda, 0)}] = row.integer(gpu, 0);
  });
  return ids;
}

void read_stream_facts(NsysFile& file) {
  TableQuery query = file.query("TARGET_INFO_CUDA_STREAM");
  if (!query.exists()) return;
  const Cell id = query.column("streamId");
  const Cell pid = query.column("processId");
  const Cell context = query.column("contextId");
  const Cell priority = query.column("priority");
  const Cell flag = query.column("flag");
  std::vector<StreamFacts> facts;
  file.each_row(query, [&](auto& row) {
    facts.push_back({{row.integer(pid, 0), row.integer(context, 0), row.integer(id, 0)},
                     static_cast<int>(row.integer(priority, 0)),
                     static_cast<int>(row.integer(flag, 0))});
  });
  describe_streams(file, facts);
}

/// The null stream's number is in a table of its own up to 2023.3, in the context's row after that.
void mark_default_streams(NsysFile& file) {
  for (const auto& [table, column] : {std::pair{"TARGET_INFO_CUDA_NULL_STREAM", "streamId"},
                                      std::pair{"TARGET_INFO_CUDA_CONTEXT_INFO", "nullStreamId"}}) {
    TableQuery query = file.query(table);
    if (!query.exists()) continue;
    const Cell id = query.column(column);
    const Cell pid = query.column("processId");
    const Cell context = query.column("contextId");
    file.each_row(query, [&](auto& row) {
      mark_default_stream(file, {row.integer(pid, -1), row.integer(context, -1), row.integer(id, -1)});
    });
  }
}

}  // namespace

void read_cupti_device(NsysFile& file, TableQuery& query, const std::function<Device*(RowReader&)>& device_of) {
  read_attributes(file, query, kCuptiAttributes, device_of);
}

void read_entities(NsysFile& file) {
  name_processes(file);
  read_event_costs(file);
  read_ranks(file);
  name_threads(file);
  read_gpus(file);
  read_old_attributes(file);
  place_streams(file, read_ordinals(file));
  if (!file.wants(Field::streams)) return;
  read_stream_facts(file);
  mark_default_streams(file);
}

}  // namespace sonde::nsys
