#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/ids.h"

/// What events happen on and in: ranks, processes, threads, devices, streams, domains, counters.
namespace sonde {

/// One recorded file of a run. A run of several ranks has one each.
struct Rank {
  std::string file;     ///< last two parts of its path
  std::string format;   ///< importer's name
  std::string product;  ///< what recorded it, as the file says
  std::string product_version;
  std::string schema_version;
  std::optional<int> rank;  ///< in the distributed job
  std::optional<int> world_size;
  std::string backend;                      ///< of the collectives: nccl, gloo
  std::optional<int64_t> utc_ns;            ///< UTC of time 0
  std::optional<int64_t> capture_start_ns;  ///< where the file says when its recording began and ended
  std::optional<int64_t> capture_end_ns;
  std::optional<int64_t> capture_clock_ns;  ///< what the recorder's own clock showed at capture_start_ns
  std::optional<int64_t> utc_offset_s;      ///< what the local time of the machine was ahead of UTC
  /// What the source holds, as found: name of a table or category, rows. For `sonde info`.
  std::vector<std::pair<std::string, int64_t>> holds;
  /// How it was taken, name and value; private (environment, user, host, paths): printed only when asked for.
  std::vector<std::pair<std::string, std::string>> capture;
};

struct Process {
  RankId rank = 0;
  uint64_t global_id = 0;  ///< the source's own id (Nsight's globalPid), unique in its rank
  int64_t pid = 0;
  NameId name = kNone;
  /// What recording cost its threads, as Sonde measured it there; 0: not measured.
  int64_t call_cost_ns = 0;   ///< by CUPTI, of one call
  int64_t event_cost_ns = 0;  ///< of each begin or end of a range, mark and OS call
  /// Its place in the distributed job, as its environment says.
  std::optional<int> job_rank = {};
  std::optional<int> job_ranks = {};
  std::optional<int> local_rank = {};
};

struct Thread {
  ProcessId process = kNone;
  uint64_t global_id = 0;  ///< the source's own id (Nsight's globalTid), unique in its rank
  int64_t tid = 0;
  NameId name = kNone;
  std::optional<int> priority;
};

/// A GPU as the recording describes it.
struct Device {
  RankId rank = 0;
  int64_t id = 0;  ///< the source's own number
  std::string name;
  std::string uuid;
  std::string chip;
  std::string bus;
  std::optional<int64_t> cuda_ordinal;
  std::optional<int64_t> sm_count;
  std::optional<int64_t> total_memory_bytes;
  std::optional<int64_t> memory_bandwidth_bytes_per_s;
  std::optional<int64_t> clock_hz;
  std::optional<int64_t> l2_bytes;
  std::optional<int64_t> compute_major;
  std::optional<int64_t> compute_minor;
  std::optional<int64_t> threads_per_warp;
  std::optional<int64_t> max_threads_per_block;
  std::optional<int64_t> max_warps_per_sm;
  std::optional<int64_t> max_blocks_per_sm;
  std::optional<int64_t> max_registers_per_block;
  std::optional<int64_t> max_registers_per_sm;
  std::optional<int64_t> max_shared_bytes_per_block;
  std::optional<int64_t> max_shared_bytes_per_block_optin;
  std::optional<int64_t> max_shared_bytes_per_sm;
  std::optional<int64_t> copy_engines;
  std::optional<int64_t> constant_bytes;
  std::optional<int64_t> max_ipc;
  std::optional<int64_t> max_block_x;
  std::optional<int64_t> max_block_y;
  std::optional<int64_t> max_block_z;
  std::optional<int64_t> max_grid_x;
  std::optional<int64_t> max_grid_y;
  std::optional<int64_t> max_grid_z;
  std::optional<int64_t> sm_major;  ///< of the SM's own version; the A100 has 8.2 with compute capability 8.0
  std::optional<int64_t> sm_minor;
  std::optional<int64_t> is_discrete;  ///< 1 for a card, 0 for a part of the processor
  std::optional<int64_t> revision;
  std::optional<int64_t> luid;       ///< Windows' id of the adapter, 0 elsewhere
  std::optional<int64_t> node_mask;  ///< of the adapter's linked GPUs on Windows
  std::optional<int64_t> perfworks_id;
  std::optional<std::string> context_switch_path;  ///< device files; empty on discrete GPUs
  std::optional<std::string> control_path;
};

/// Where GPU operations run: one for each (process, device, context, stream) that is met.
struct Stream {
  ProcessId process = kNone;
  int32_t ordinal = -1;     ///< CUDA's device number in that process
  DeviceId device = kNone;  ///< the device that this number means
  uint32_t context = 0;
  uint32_t green_context = kNone;  ///< never 0
  uint32_t stream = kNone;         ///< CUDA's stream id; kNone for operations of a whole context
  std::optional<int> priority;
  std::optional<int> flags;
  bool is_default = false;  ///< the context's null stream
};

/// What a domain's ranges are.
enum class DomainKind : uint8_t { nvtx, annotation, op, module, python };

/// The domains that stand for what frameworks record, by name: so an export to NVTX keeps what they are.
/// "torch.operator", "torch.module", "torch.python"; everything else is NVTX.
[[nodiscard]] DomainKind domain_kind(std::string_view domain_name);

struct Domain {
  NameId name = kNone;  ///< empty text for NVTX's default domain
  DomainKind kind = DomainKind::nvtx;
};

struct Counter {
  NameId name = kNone;
  NameId unit = kNone;
  NameId source = kNone;  ///< the set of metrics that it belongs to
  RankId rank = 0;
  std::optional<int64_t> device;   ///< CUDA ordinal or GPU number where the source tells
  std::optional<int64_t> type_id;  ///< the source's own ids, for export
  std::optional<int64_t> metric_id;
};

}  // namespace sonde
