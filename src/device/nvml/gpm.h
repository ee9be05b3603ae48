#pragma once

#include <mutex>

#include "device/nvml/readers.h"

namespace sonde::device::nvml {

/// The hardware counters of one GPU (Hopper and later): means over the time between two reads.
class Gpm {
 public:
  ~Gpm();
  Gpm() = default;
  Gpm(const Gpm&) = delete;
  Gpm& operator=(const Gpm&) = delete;

  /// Absent at the first read, on older GPUs, and while another thread reads the same GPU's.
  Return read(const Asked& asked);

 private:
  [[nodiscard]] Return sample(const Asked& asked);
  std::mutex mutex_;
  Return (*free_)(GpmSample) = nullptr;
  GpmSample before_ = nullptr;
  GpmSample now_ = nullptr;
  bool has_before_ = false;
};

}  // namespace sonde::device::nvml
