#include "sample_host.h"

#include <fmt/format.h>

namespace {

using namespace sonde::monitor;
using sonde::device::GpuReading;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400 * kSecond;
constexpr int64_t kNow = 20'000 * kDay + 3600 * kSecond + 500'000'000;

void fill(std::optional<std::string>& member, std::string_view name, int64_t& /*next*/) { member = name; }
void fill(std::optional<bool>& member, std::string_view /*name*/, int64_t& /*next*/) { member = false; }
template <typename Number>
void fill(std::optional<Number>& member, std::string_view /*name*/, int64_t& next) {
  member = static_cast<Number>(next++);
}

/// A value for each member, so that none can be forgotten: numbers grow by one.
GpuReading filled() {
  GpuReading r;
  int64_t next = 1;
#define SONDE_GPU_VALUE(member, type, group, smi, format, description) fill(r.member, #member, next);
#include "device/values.inc"
#undef SONDE_GPU_VALUE
  return r;
}

GpuReading reading(size_t gpu) {
  GpuReading r = filled();
  r.compute_capability = 900;
  r.minor_number = static_cast<int64_t>(gpu);
  r.pci_bus_id = fmt::format("00000000:{:02X}:00.0", 0x18 + gpu);
  r.gpu_utilization_percent = 97;
  r.memory_total_bytes = int64_t{80} << 30;
  r.memory_used_bytes = (int64_t{60} << 30) + 12345;
  r.memory_free_bytes = int64_t{19} << 30;
  r.memory_reserved_bytes = int64_t{1} << 29;
  r.temperature_celsius = 64;
  r.power_draw_milliwatts = 612345;
  r.energy_millijoules = 123'456'789'012;
  r.clocks_event_reasons = 0x4 | 0x1;
  r.sw_power_cap_ns = 1'500'000'000;
  r.recovery_action = 0;
  r.gpm_tensor_percent = 41.25;
  r.nvlinks = {{.link = 0,
                .active = true,
                .speed_mbytes_per_s = 26562,
                .replay_errors = 1,
                .recovery_errors = 0,
                .crc_errors = 2},
               {.link = 1,
                .active = false,
                .speed_mbytes_per_s = {},
                .replay_errors = 3,
                .recovery_errors = {},
                .crc_errors = {}}};
  if (gpu == 1) {
    r.mig_devices = {{.uuid = "MIG-1",
                      .name = "MIG 1g.10gb",
                      .gpu_instance = 7,
                      .compute_instance = 0,
                      .memory_total_bytes = 10 << 20,
                      .memory_used_bytes = 1 << 20}};
  }
  return r;
}

OwnedProcess process(int64_t pid, const char* user, const char* container, bool alive, int64_t bytes) {
  OwnedProcess owned;
  owned.process = {.pid = pid,
                   .compute = true,
                   .memory_used_bytes = bytes,
                   .gpu_instance = {},
                   .compute_instance = {},
                   .name = "python"};
  owned.owner.alive = alive;
  owned.owner.user = user;
  owned.owner.container = container;
  return owned;
}

GpuView view(size_t gpu) {
  GpuView view;
  view.index = gpu;
  view.uuid = fmt::format("GPU-00000000-0000-0000-0000-{:012}", gpu);
  view.name = "NVIDIA H100 80GB HBM3";
  view.sample = {.gpu = gpu, .moment_ns = kNow - kSecond, .reading = reading(gpu), .failure = {}, .mark = {}};
  view.processes = {process(10, "ada", "0123456789ab", true, 5 << 20),
                    process(11, "ada", "0123456789ab", true, 7 << 20),
                    process(12, "quote\" back\\slash\nline \xff byte", "", false, 1 << 20)};
  return view;
}

Incident incident(int64_t id, const HostSnapshot& host, size_t gpu, const char* detector, Severity severity) {
  Incident incident;
  incident.id = id;
  incident.detector = detector;
  incident.gpu_uuid = host.gpus[gpu].uuid;
  incident.severity = severity;
  if (id % 2 == 0) incident.acknowledged_ns = kNow;
  return incident;
}

/// The last GPU fell off the bus; the one before it contradicts itself.
void break_some(HostSnapshot& host) {
  GpuView& lost = host.gpus.back();
  lost.sample.moment_ns = kNow - 30 * kSecond;
  lost.sample.mark = {.quality = Quality::absent, .reason = "The GPU is lost."};
  lost.health = Health::critical;
  const size_t last = host.gpus.size() - 1;
  host.xids = {{.gpu = 0, .xid = 31, .count = 2, .last_ns = kNow - 20 * kSecond},
               {.gpu = 0, .xid = 13, .count = 1, .last_ns = kNow - 40 * kSecond},
               {.gpu = last, .xid = 79, .count = 1, .last_ns = kNow - 30 * kSecond}};
  host.open = {incident(1, host, last, "gpu_lost", Severity::critical),
               incident(2, host, 0, "gpu_hot", Severity::warning), incident(3, host, 0, "gpu_hot", Severity::warning)};
  host.gpus[0].health = Health::warning;
  if (last > 1)
    host.gpus[last - 1].sample.mark = {.quality = Quality::contradictory, .reason = "Full use at idle power."};
}

}  // namespace

HostSnapshot sample_host(size_t gpus) {
  HostSnapshot host;
  host.moment_ns = kNow;
  host.source = {.source = "nvml",
                 .driver_version = "590.48.01",
                 .library_version = "590.48.01",
                 .cuda_version = "13.1",
                 .simulated = false};
  for (size_t gpu = 0; gpu < gpus; ++gpu) host.gpus.push_back(view(gpu));
  const std::string& uuid = host.gpus[0].uuid;
  host.waste[20'000 * kDay] = {{uuid, WasteKind::held_idle, "ada", "0123456789ab", 0.5, 0.25, 0.125, 0, 0},
                               {uuid, WasteKind::unused, "", "", 0.25, 0.125, 0.0625, 0, 0}};
  host.waste[19'999 * kDay] = {{uuid, WasteKind::held_idle, "ada", "", 24, 24, 24, 0, 0}};
  host.state = {.rounds = 1000,
                .failed_rounds = 2,
                .last_success_ns = kNow - kSecond,
                .last_duration_s = 0.012,
                .source_openings = 1,
                .source_trouble = {},
                .history_trouble = {},
                .alerts = {.sent = 5, .failed = 1, .waiting = 0}};
  break_some(host);
  return host;
}
