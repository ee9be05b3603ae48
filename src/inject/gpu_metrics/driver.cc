#include "inject/gpu_metrics/driver.h"

#include "inject/driver_function.h"

namespace sonde::inject::gpu_metrics {
DeviceCount device_count() noexcept {
  static constinit Guarded<int(int*)> ask;
  if (!ask.is_there()) ask = driver_function<int(int*)>("cuDeviceGetCount");
  DeviceCount found;
  if (ask.is_there()) found.result = ask(&found.count);
  return found;
}

bool device_uuid(uint32_t device, uint8_t (&uuid)[16]) noexcept {
  using Ask = int(uint8_t*, int);
  auto ask = driver_function<Ask>("cuDeviceGetUuid_v2");
  if (!ask.is_there()) ask = driver_function<Ask>("cuDeviceGetUuid");
  return ask(uuid, static_cast<int>(device)) == 0;
}

uint64_t device_clock_hz(uint32_t device) noexcept {
  constexpr int kClockRateKhz = 13;  // CU_DEVICE_ATTRIBUTE_CLOCK_RATE
  constexpr uint64_t kPerKilo = 1000;
  const auto ask = driver_function<int(int*, int, int)>("cuDeviceGetAttribute");
  int khz = 0;
  const bool reported = ask(&khz, kClockRateKhz, static_cast<int>(device)) == 0 && khz > 0;
  return reported ? static_cast<uint64_t>(khz) * kPerKilo : 0;
}

}  // namespace sonde::inject::gpu_metrics
