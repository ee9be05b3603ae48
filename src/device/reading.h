#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::device {

/// Values that are read together. Bits, so that one read can take several.
enum ValueGroup : unsigned {
  identity = 1,   ///< does not change while the driver is loaded
  fast = 2,       ///< use, memory, temperature, power, clocks and their reasons: for every second
  slow = 4,       ///< ECC, remapped rows, PCIe (two samples of 20 ms), NVLink, MIG, modes
  gpm = 8,        ///< hardware counters of Hopper and later: means since the read before, absent at the first
  processes = 16  ///< who holds memory
};
using ValueGroups = unsigned;
inline constexpr ValueGroups kAllGroups = identity | fast | slow | gpm | processes;

/// One NVLink of a GPU. Counters count since the last reset.
struct NvLinkReading {
  int64_t link = 0;
  std::optional<bool> active;
  std::optional<int64_t> speed_mbytes_per_s;
  std::optional<int64_t> replay_errors;
  std::optional<int64_t> recovery_errors;
  std::optional<int64_t> crc_errors;
};

/// A part of a GPU that is divided by MIG.
struct MigDevice {
  std::string uuid;
  std::string name;
  std::optional<int64_t> gpu_instance;
  std::optional<int64_t> compute_instance;
  std::optional<int64_t> memory_total_bytes;
  std::optional<int64_t> memory_used_bytes;
};

struct GpuProcess {
  int64_t pid = 0;
  bool compute = true;  ///< else graphics
  std::optional<int64_t> memory_used_bytes;
  std::optional<int64_t> gpu_instance;
  std::optional<int64_t> compute_instance;
  std::string name;  ///< of the program; empty where it is not known
};

/// A call that the GPU refused for another reason than that it has no such value.
struct RefusedValue {
  std::string_view call;  ///< as the library names it
  std::string reason;     ///< "no permission"
};

/// What a GPU said. A member is absent where the GPU does not give it; values.inc says what each is.
struct GpuReading {
#define SONDE_GPU_VALUE(member, type, group, smi, format, description) std::optional<type> member;
#include "device/values.inc"
  std::optional<std::vector<NvLinkReading>> nvlinks;
  std::optional<std::vector<MigDevice>> mig_devices;
  std::optional<std::vector<GpuProcess>> running;
  std::vector<RefusedValue> refused;  ///< of the last read
  bool simulated = false;             ///< no GPU said this: whoever shows it says so
};

}  // namespace sonde::device
