#include "cli/host/gpu_source.h"

#include <ctime>

#include "base/text/duration.h"
#include "device/open_with_timeout.h"
#include "device/simulated/source.h"

namespace sonde {

Result<std::shared_ptr<device::DeviceSource>> open_gpu_source(const GpuSourceChoice& choice) {
  // The driver wakes GPUs while it is opened, which takes seconds for each: it gets more time than a read.
  constexpr int kOpenPatience = 6;
  if (choice.simulated.empty()) return device::open_nvml_within(of_seconds(choice.patience_s) * kOpenPatience);
  const auto offset_ns = parse_duration(choice.at);
  if (!offset_ns) return std::unexpected(offset_ns.error());
  auto source = device::simulated::open(choice.simulated, *offset_ns);
  if (!source) return std::unexpected(source.error());
  return std::move(*source);
}

int64_t utc_offset_s(int64_t moment_s) {
  const auto moment = static_cast<std::time_t>(moment_s);
  std::tm local{};
  localtime_r(&moment, &local);
  return local.tm_gmtoff;
}

}  // namespace sonde
