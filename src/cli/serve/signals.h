#pragma once

#include <chrono>
#include <optional>

namespace sonde::serve {

/// SIGTERM, SIGINT and SIGHUP as things to wait for. Made before any thread, which inherit that they do not interrupt.
class Signals {
 public:
  Signals();
  /// The next one; nothing where none came in time.
  [[nodiscard]] static std::optional<int> wait(std::chrono::nanoseconds patience);
  /// From now on the next signal ends the process at once, and so does the end of `patience`; both say so.
  static void end_process_after(std::chrono::seconds patience);
};

}  // namespace sonde::serve
