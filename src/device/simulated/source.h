#pragma once

#include <functional>
#include <mutex>

#include "device/device.h"
#include "device/simulated/gpu.h"

namespace sonde::device::simulated {

/// Time as the simulation sees it.
struct Clock {
  std::function<int64_t()> now_ns;  ///< since the start of the simulation
  std::function<void(std::chrono::milliseconds)> sleep;
  std::function<int64_t()> moment_ns;  ///< since 1970, for events
};
/// That of the machine, which begins at `offset_ns`.
[[nodiscard]] Clock machine_clock(int64_t offset_ns = 0);

/// Simulated GPUs. Work comes from the description's load and from start() and end(), faults from the description and
/// from inject(). All readings say that they are simulated. Thread-safe.
class Source : public DeviceSource {
 public:
  Source(const HostDescription& host, Clock clock);

  [[nodiscard]] const SourceInfo& info() const override { return info_; }
  [[nodiscard]] size_t gpu_count() const override { return gpus_.size(); }
  [[nodiscard]] std::expected<void, GpuFailure> read(size_t gpu, ValueGroups groups, GpuReading& reading) override;
  [[nodiscard]] std::expected<void, GpuFailure> subscribe(size_t gpu) override;
  [[nodiscard]] std::expected<std::vector<GpuEvent>, GpuFailure> wait_for_events(
      std::chrono::milliseconds timeout) override;

  /// A task begins on a GPU now; one of the same process there is replaced.
  void start(size_t gpu, Task task);
  void end(size_t gpu, int64_t pid);
  /// A fault from now on; its `at_ns` is set.
  void inject(size_t gpu, Fault fault);

 private:
  [[nodiscard]] std::vector<GpuEvent> events_until(int64_t now_ns);

  std::mutex mutex_;
  Clock clock_;
  SourceInfo info_;
  std::vector<Gpu> gpus_;
  std::vector<bool> subscribed_;
  int64_t delivered_until_ns_ = -1;  ///< events until then were delivered
};

/// Opens a description. It begins `offset_ns` after its start.
[[nodiscard]] Result<std::shared_ptr<Source>> open(const std::string& path, int64_t offset_ns = 0);

}  // namespace sonde::device::simulated
