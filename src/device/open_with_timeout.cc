#include "device/open_with_timeout.h"

#include <future>
#include <thread>

namespace sonde::device {

Result<std::shared_ptr<DeviceSource>> open_nvml_within(std::chrono::milliseconds timeout, const std::string& path) {
  using Opened = Result<std::shared_ptr<DeviceSource>>;
  auto promise = std::make_shared<std::promise<Opened>>();
  auto opened = promise->get_future();
  std::thread([promise, path] { promise->set_value(open_nvml(path)); }).detach();
  if (opened.wait_for(timeout) == std::future_status::ready) return opened.get();
  return fail(
      "the NVIDIA driver is not responding: initializing NVML has not returned within {:.3g} s; check dmesg for XID "
      "messages",
      static_cast<double>(timeout.count()) / 1000);
}

}  // namespace sonde::device
