#pragma once

#include <chrono>
#include <csignal>

namespace sonde::tasks {

/// While it lives, SIGINT and SIGTERM are noted instead of ending this program: what it waits for goes on without it.
/// One at a time. A signal that was ignored (as under nohup) stays so; a second one ends the program as ever.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Whether one came.
  [[nodiscard]] static bool came();
  /// Returns early where one comes.
  static void sleep(std::chrono::milliseconds time);

 private:
  struct sigaction interrupt_{};
  struct sigaction terminate_{};
};

/// Exit status of a command that waited and was interrupted, as of a shell: 128 + SIGINT.
constexpr int kInterruptedExit = 130;

}  // namespace sonde::tasks
