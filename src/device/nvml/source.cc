#include <array>
#include <atomic>
#include <deque>
#include <mutex>

#include <fmt/format.h>

#include "device/nvml/gpm.h"
#include "device/nvml/library.h"
#include "device/nvml/readers.h"

namespace sonde::device {
namespace nvml {
namespace {

int64_t now_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

EventKind kind_of(unsigned long long type) {
  if ((type & kEventXid) != 0) return EventKind::xid;
  if ((type & kEventDoubleBitEcc) != 0) return EventKind::double_bit_ecc;
  if ((type & kEventSingleBitEcc) != 0) return EventKind::single_bit_ecc;
  if ((type & kEventRecoveryAction) != 0) return EventKind::recovery_action;
  if ((type & kEventGpuUnavailable) != 0) return EventKind::gpu_unavailable;
  if ((type & (kEventMemoryRetired | kEventRetirementFailed)) != 0) return EventKind::memory_retired;
  return EventKind::other;
}

struct Gpu {
  std::atomic<Device> handle = nullptr;
  Gpm gpm;
};

/// Refusals that say only that the GPU has no such value.
bool is_absence(Return code) {
  return code == Return::not_supported || code == Return::function_not_found || code == Return::no_data ||
         code == Return::deprecated || code == Return::not_found;
}

class Source : public DeviceSource {
 public:
  Source(const Library& library, size_t count) : library_(library), gpus_(count) { describe(); }
  ~Source() override {
    if (events_ != nullptr) (void)call(library_.event_set_free, events_);
    for (Gpu& gpu : gpus_) gpu.handle = nullptr;
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const SourceInfo& info() const override { return info_; }
  size_t gpu_count() const override { return gpus_.size(); }

  std::expected<void, GpuFailure> read(size_t gpu, ValueGroups groups, GpuReading& reading) override {
    const auto device = handle(gpu);
    if (!device) return std::unexpected(failure_of(device.error(), static_cast<int64_t>(gpu)));
    reading.refused.clear();
    reading.simulated = false;
    const Asked asked{library_, *device, reading};
    if ((groups & identity) != 0) place(gpu, reading);
    for (const auto readers : {identity_readers(), fast_readers(), slow_readers(), list_readers()}) {
      for (const Reader& reader : readers) {
        if ((groups & reader.group) == 0) continue;
        const Return code = reader.read(asked);
        if (ends_reading(code)) return std::unexpected(failure_of(code, static_cast<int64_t>(gpu)));
        note(reader.call, code, reading);
      }
    }
    if ((groups & ValueGroup::gpm) != 0) note("nvmlGpmMetricsGet", gpus_[gpu].gpm.read(asked), reading);
    return {};
  }

  std::expected<void, GpuFailure> subscribe(size_t gpu) override {
    const auto device = handle(gpu);
    if (!device) return std::unexpected(failure_of(device.error(), static_cast<int64_t>(gpu)));
    unsigned long long supported = 0;
    Return code = call(library_.supported_events, *device, &supported);
    if (code == Return::success) code = make_event_set();
    constexpr unsigned long long kWanted = kEventXid | kEventDoubleBitEcc | kEventSingleBitEcc | kEventRecoveryAction |
                                           kEventGpuUnavailable | kEventMemoryRetired | kEventRetirementFailed;
    if (code == Return::success) code = call(library_.register_events, *device, supported & kWanted, events_);
    if (code != Return::success) return std::unexpected(failure_of(code, static_cast<int64_t>(gpu)));
    return {};
  }

  std::expected<std::vector<GpuEvent>, GpuFailure> wait_for_events(std::chrono::milliseconds timeout) override {
    std::vector<GpuEvent> events;
    EventSet set = nullptr;
    {
      const std::scoped_lock lock(events_mutex_);
      set = events_;
    }
    if (set == nullptr) return std::unexpected(failure_of(Return::not_supported, -1));
    auto wait_ms = static_cast<unsigned>(timeout.count());
    while (true) {
      EventData data{};
      const Return code = call(library_.event_set_wait, set, &data, wait_ms);
      if (code == Return::timeout) return events;
      // What came before the failure is not lost: the next wait fails again.
      if (code != Return::success && !events.empty()) return events;
      if (code != Return::success) return std::unexpected(failure_of(code, -1));
      if (const auto event = event_of(data)) events.push_back(*event);
      wait_ms = 0;
    }
  }

 private:
  void describe() {
    info_.source = "nvml";
    std::array<char, 96> text{};
    if (call(library_.driver_version, text.data(), 95U) == Return::success) info_.driver_version = text.data();
    if (call(library_.library_version, text.data(), 95U) == Return::success) info_.library_version = text.data();
    int cuda = 0;  // 1000 * major + 10 * minor
    if (call(library_.cuda_version, &cuda) == Return::success) {
      info_.cuda_version = fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10);
    }
  }

  /// Asked for at the first use: the call can hang for a broken GPU, and must not for the others.
  std::expected<Device, Return> handle(size_t gpu) {
    if (gpu >= gpus_.size()) return std::unexpected(Return::not_found);
    Device device = gpus_[gpu].handle;
    if (device != nullptr) return device;
    const Return code = call(library_.handle_by_index, static_cast<unsigned>(gpu), &device);
    if (code != Return::success) return std::unexpected(code);
    gpus_[gpu].handle = device;
    return device;
  }

  void place(size_t gpu, GpuReading& reading) const {
    reading.index = static_cast<int64_t>(gpu);
    reading.gpu_count = static_cast<int64_t>(gpus_.size());
    reading.driver_version = info_.driver_version;
    if (info_.driver_version.empty()) reading.driver_version.reset();
  }

  static void note(std::string_view call, Return code, GpuReading& reading) {
    if (code == Return::success || is_absence(code)) return;
    reading.refused.push_back({call, std::string(return_text(code))});
  }

  Return make_event_set() {
    const std::scoped_lock lock(events_mutex_);
    return events_ != nullptr ? Return::success : call(library_.event_set_create, &events_);
  }

  std::optional<GpuEvent> event_of(const EventData& data) const {
    for (size_t i = 0; i < gpus_.size(); ++i) {
      if (gpus_[i].handle != data.device) continue;
      const EventKind kind = kind_of(data.type);
      GpuEvent event{.gpu = i,
                     .kind = kind,
                     .code = static_cast<int64_t>(kind == EventKind::xid ? data.data : data.type),
                     .moment_ns = now_ns(),
                     .gpu_instance = {}};
      if (data.gpu_instance != kNoInstance) event.gpu_instance = data.gpu_instance;
      return event;
    }
    return std::nullopt;
  }

  Library library_;
  std::deque<Gpu> gpus_;
  SourceInfo info_;
  std::mutex events_mutex_;
  EventSet events_ = nullptr;
};

}  // namespace
}  // namespace nvml

Result<std::shared_ptr<DeviceSource>> open_nvml(const std::string& path) {
  const auto opened = nvml::open(path);
  if (!opened) return std::unexpected(opened.error());
  return std::make_shared<nvml::Source>(opened->library, opened->gpus);
}

}  // namespace sonde::device
