#include "cli/serve/supervisor.h"

#include <unistd.h>

#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "base/text/decimal.h"
#include "cli/serve/unix_datagram.h"

namespace sonde::serve {
namespace {

std::string service_variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? "" : value;
}

void notify(const std::string& text) {
  const std::string socket = service_variable("NOTIFY_SOCKET");
  if (!socket.empty()) send_datagram(socket, text);
}

}  // namespace

void Supervisor::ready() { notify("READY=1"); }

void Supervisor::reloading() {
  constexpr int64_t kMicroseconds = 1'000'000;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);  // Type=notify-reload wants to know since when
  notify(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", now.tv_sec * kMicroseconds + now.tv_nsec / 1000));
}

void Supervisor::stopping(std::chrono::seconds longest) {
  const std::chrono::microseconds most = longest;
  notify(fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}", most.count()));
}

void Supervisor::status(const std::string& text) { notify(fmt::format("STATUS={}", text)); }

std::optional<std::chrono::microseconds> Supervisor::watchdog() {
  const auto interval = integer_of<int64_t>(service_variable("WATCHDOG_USEC"));
  const std::string process = service_variable("WATCHDOG_PID");
  const bool is_for_us = process.empty() || process == std::to_string(getpid());
  if (!interval || *interval <= 0 || !is_for_us) return std::nullopt;
  return std::chrono::microseconds(*interval / 2);
}

void Supervisor::alive() { notify("WATCHDOG=1"); }

}  // namespace sonde::serve
