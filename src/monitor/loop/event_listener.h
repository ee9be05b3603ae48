#pragma once

#include <memory>
#include <vector>

#include "device/device.h"

namespace sonde::monitor::loop {

/// Listens to what the GPUs of a source report by themselves, on threads of its own: a GPU that cannot be subscribed
/// to, or a wait that never comes back, harms nobody.
class EventListener {
 public:
  /// `on_demand`: looks only when take() asks, for rounds that a test or a terminal view makes; else all the time.
  EventListener(std::shared_ptr<device::DeviceSource> source, bool on_demand);
  ~EventListener();
  EventListener(const EventListener&) = delete;
  EventListener& operator=(const EventListener&) = delete;

  /// Events since the last call, the oldest first.
  [[nodiscard]] std::vector<device::GpuEvent> take();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;  ///< with threads that may outlive this object
};

}  // namespace sonde::monitor::loop
