#pragma once

#include <cstdint>

/// What is asked of the CUDA driver, which the program has loaded.
namespace sonde::inject::gpu_metrics {

inline constexpr int kNotInitialized = 3;  // CUDA_ERROR_NOT_INITIALIZED

/// The GPUs that the program sees.
struct DeviceCount {
  int result = -1;  ///< the driver's, 0 for success; -1 where it cannot be asked
  int count = 0;
};
/// From one thread.
[[nodiscard]] DeviceCount device_count() noexcept;

/// False where the driver does not tell it.
[[nodiscard]] bool device_uuid(uint32_t device, uint8_t (&uuid)[16]) noexcept;

/// The highest clock of the SMs; 0 where the driver does not tell it.
[[nodiscard]] uint64_t device_clock_hz(uint32_t device) noexcept;

}  // namespace sonde::inject::gpu_metrics
