#include "cli/serve/supervisor.h"

#include <ctime>

#include <fmt/format.h>
#include <systemd/sd-daemon.h>

namespace sonde::serve {

void Supervisor::ready() { sd_notify(0, "READY=1"); }

void Supervisor::reloading() {
  constexpr int64_t kMicroseconds = 1'000'000;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);  // Type=notify-reload wants to know since when
  sd_notify(0, fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * kMicroseconds + now.tv_nsec / 1000).c_str());
}

void Supervisor::stopping(std::chrono::seconds longest) {
  const std::chrono::microseconds most = longest;
  sd_notify(0, fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}", most.count()).c_str());
}

void Supervisor::status(const std::string& text) { sd_notify(0, fmt::format("STATUS={}", text).c_str()); }

std::optional<std::chrono::microseconds> Supervisor::watchdog() {
  uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return std::nullopt;
  return std::chrono::microseconds(microseconds / 2);
}

void Supervisor::alive() { sd_notify(0, "WATCHDOG=1"); }

}  // namespace sonde::serve
