#include <algorithm>
#include <array>

#include "device/nvml/field_values.h"
#include "device/nvml/readers.h"

namespace sonde::device::nvml {
namespace {

std::optional<int64_t> errors_of(const Asked& a, unsigned link, unsigned counter) {
  unsigned long long count = 0;
  std::optional<int64_t> errors;
  store(call(a.library.nvlink_errors, a.device, link, counter, &count), errors, count);
  return errors;
}

std::optional<int64_t> speed_of(const Asked& a, unsigned link) {
  FieldValue value{};
  value.field = kFieldNvLinkSpeed;
  value.scope = link;
  value.status = Return::not_supported;
  if (call(a.library.field_values, a.device, 1, &value) != Return::success) return std::nullopt;
  return integer_of(value);
}

/// A GPU with fewer links refuses the numbers above them.
Return read_nvlinks(const Asked& a) {
  a.reading.nvlinks.reset();
  std::vector<NvLinkReading> links;
  for (unsigned i = 0; i < kMaxNvLinks; ++i) {
    unsigned active = 0;
    const Return code = call(a.library.nvlink_state, a.device, i, &active);
    if (ends_reading(code)) return code;
    if (code != Return::success) {
      if (i == 0) return code;
      break;
    }
    NvLinkReading link;
    link.link = i;
    link.active = active != 0;
    if (active != 0) {
      link.speed_mbytes_per_s = speed_of(a, i);
      link.replay_errors = errors_of(a, i, kNvLinkReplay);
      link.recovery_errors = errors_of(a, i, kNvLinkRecovery);
      link.crc_errors = errors_of(a, i, kNvLinkCrcFlit);
    }
    links.push_back(link);
  }
  a.reading.nvlinks = std::move(links);
  return Return::success;
}

template <auto kFunction>
std::optional<int64_t> number_of(const Library& library, Device device) {
  unsigned number = 0;
  std::optional<int64_t> value;
  store(call(library.*kFunction, device, &number), value, number);
  return value;
}

template <auto kFunction>
std::string text_of(const Library& library, Device device) {
  std::array<char, 96> value{};
  const Return code = call(library.*kFunction, device, value.data(), static_cast<unsigned>(value.size() - 1));
  return code == Return::success ? value.data() : "";
}

MigDevice mig_device(const Library& library, Device device) {
  MigDevice mig{.uuid = text_of<&Library::uuid>(library, device),
                .name = text_of<&Library::name>(library, device),
                .gpu_instance = number_of<&Library::gpu_instance>(library, device),
                .compute_instance = number_of<&Library::compute_instance>(library, device),
                .memory_total_bytes = {},
                .memory_used_bytes = {}};
  Memory memory{};
  const Return code = call(library.memory, device, &memory);
  store(code, mig.memory_total_bytes, memory.total);
  store(code, mig.memory_used_bytes, memory.used);
  return mig;
}

/// Numbers without a device between those with one are usual.
Return read_mig(const Asked& a) {
  a.reading.mig_devices.reset();
  unsigned max = 0;
  const Return code = call(a.library.max_mig_devices, a.device, &max);
  if (code != Return::success) return code;
  a.reading.mig_devices.emplace();
  for (unsigned i = 0; i < max; ++i) {
    Device device = nullptr;
    const Return found = call(a.library.mig_device, a.device, i, &device);
    if (ends_reading(found)) return found;
    if (found == Return::success) a.reading.mig_devices->push_back(mig_device(a.library, device));
  }
  return Return::success;
}

using ProcessList = Return (*)(Device, unsigned*, ProcessInfo*);

/// As many as there are: processes start between the two calls.
Return list(ProcessList function, Device device, std::vector<ProcessInfo>& processes) {
  constexpr unsigned kSpare = 16;
  unsigned count = 0;
  Return code = call(function, device, &count, static_cast<ProcessInfo*>(nullptr));
  for (int attempt = 0; code == Return::insufficient_size && attempt < 3; ++attempt) {
    count += kSpare;
    processes.assign(count, {});
    code = call(function, device, &count, processes.data());
  }
  processes.resize(code == Return::success ? std::min<size_t>(count, processes.size()) : 0);
  return code;
}

std::optional<int64_t> instance(unsigned number) {
  return number == kNoInstance ? std::nullopt : std::optional<int64_t>(number);
}

GpuProcess process_of(const Library& library, const ProcessInfo& info, bool compute) {
  constexpr unsigned long long kUnknownMemory = ~0ULL;
  std::array<char, 256> name{};
  const Return named = call(library.process_name, info.pid, name.data(), static_cast<unsigned>(name.size() - 1));
  GpuProcess process{.pid = info.pid,
                     .compute = compute,
                     .memory_used_bytes = {},
                     .gpu_instance = instance(info.gpu_instance),
                     .compute_instance = instance(info.compute_instance),
                     .name = named == Return::success ? name.data() : ""};
  if (info.memory_used != kUnknownMemory) process.memory_used_bytes = static_cast<int64_t>(info.memory_used);
  return process;
}

Return read_processes(const Asked& a) {
  a.reading.running.reset();
  std::vector<ProcessInfo> compute;
  std::vector<ProcessInfo> graphics;
  const Return code = list(a.library.compute_processes, a.device, compute);
  if (code != Return::success) return code;
  const Return drawn = list(a.library.graphics_processes, a.device, graphics);
  if (ends_reading(drawn)) return drawn;
  a.reading.running.emplace();
  for (const ProcessInfo& info : compute) a.reading.running->push_back(process_of(a.library, info, true));
  for (const ProcessInfo& info : graphics) a.reading.running->push_back(process_of(a.library, info, false));
  return Return::success;
}

constexpr auto kListsReaders = std::to_array<Reader>({
    {"nvmlDeviceGetNvLinkState", slow, read_nvlinks},
    {"nvmlDeviceGetMaxMigDeviceCount", slow, read_mig},
    {"nvmlDeviceGetComputeRunningProcesses_v3", processes, read_processes},
});

}  // namespace

std::span<const Reader> list_readers() { return kListsReaders; }

}  // namespace sonde::device::nvml
