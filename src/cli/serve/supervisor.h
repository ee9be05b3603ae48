#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace sonde::serve {

/// What systemd is told (sd_notify); nothing where it did not start this program with Type=notify.
class Supervisor {
 public:
  static void ready();
  static void reloading();
  /// That it ends, and needs no longer for it than this, whatever TimeoutStopSec of the unit says.
  static void stopping(std::chrono::seconds longest);
  static void status(const std::string& text);
  /// How often alive() is to be said: half of WatchdogSec; nothing where the unit has no watchdog.
  [[nodiscard]] static std::optional<std::chrono::microseconds> watchdog();
  static void alive();
};

}  // namespace sonde::serve
