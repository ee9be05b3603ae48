#include "cli/serve/sources.h"

#include <mutex>
#include <utility>

namespace sonde::serve {
namespace {

using SimulatedSource = std::shared_ptr<device::simulated::Source>;

/// The source that the monitor opened last, for whoever puts work on it.
class Last {
 public:
  void set(SimulatedSource source) {
    const std::scoped_lock lock(mutex_);
    source_ = std::move(source);
  }
  [[nodiscard]] SimulatedSource get() const {
    const std::scoped_lock lock(mutex_);
    return source_;
  }

 private:
  mutable std::mutex mutex_;
  SimulatedSource source_;
};

}  // namespace

Sources sources_of(const config::Devices& devices) {
  if (devices.source != "simulated") {
    return {.open = [library = devices.library] { return device::open_nvml(library); }, .simulated = {}};
  }
  auto last = std::make_shared<Last>();
  const auto open = [file = devices.simulated, last]() -> Result<std::shared_ptr<device::DeviceSource>> {
    auto source = device::simulated::open(file, 0);
    if (!source) return std::unexpected(source.error());
    last->set(*source);
    return std::move(*source);
  };
  return {.open = open, .simulated = [last] { return last->get(); }};
}

Status check_simulated(const config::Devices& devices) {
  if (devices.source != "simulated") return {};
  const auto source = device::simulated::open(devices.simulated, 0);
  return source ? Status() : Status(std::unexpected(source.error()));
}

}  // namespace sonde::serve
