#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

/// Holding the clocks of GPUs for a measurement.
namespace sonde::device {

/// A GPU whose clocks can be asked to be locked.
struct LockableGpu {
  size_t index = 0;  ///< as nvidia-smi numbers them
  std::string uuid;
};

/// Locks the SM clock of this host's GPUs by NVML (Volta and newer). Needs root. NVML does not tell what clocks were
/// locked before, so that unlocking also ends a lock that somebody else set.
class ClockLock {
 public:
  virtual ~ClockLock() = default;
  [[nodiscard]] virtual const std::vector<LockableGpu>& gpus() const = 0;
  /// At `mhz`; absent: at the base clock, which the GPU keeps within its power limit (NVML_CLOCK_LIMIT_ID_TDP).
  [[nodiscard]] virtual Status lock(const LockableGpu& gpu, std::optional<unsigned> mhz) = 0;
  [[nodiscard]] virtual Status unlock(const LockableGpu& gpu) = 0;
};

/// By NVML, which open_nvml() finds.
[[nodiscard]] Result<std::unique_ptr<ClockLock>> open_clock_lock();

}  // namespace sonde::device
