#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace sonde {

/// A program to run: without a shell, with nothing on its standard input.
struct Subprocess {
  std::vector<std::string> words;  ///< program, looked up in PATH, and its arguments; at least one
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< added to, and before, this program's own
  std::string folder = {};                                            ///< to run in; empty: this program's
  std::string output_file = {};  ///< of standard output and error, replaced; empty: where this program's go
  std::optional<int64_t> time_limit_ns = {};
};

/// How a program ended.
struct SubprocessEnd {
  int status = 0;            ///< exit status; 0 where a signal ended it
  int signal = 0;            ///< that ended it, or 0
  bool timed_out = false;    ///< it was ended because its time was over
  bool interrupted = false;  ///< it was ended because this program is to end
  int64_t wall_ns = 0;       ///< from its start to its end, by the monotonic clock

  [[nodiscard]] bool succeeded() const { return status == 0 && signal == 0 && !timed_out && !interrupted; }
};

/// "exit status 3", "killed by signal 9 (Killed)", "stopped after its time limit".
[[nodiscard]] std::string end_text(const SubprocessEnd& end);

/// Runs programs; tests have a fake.
class SubprocessRunner {
 public:
  virtual ~SubprocessRunner() = default;
  /// Waits for the program. The error says why it could not be started.
  [[nodiscard]] virtual Result<SubprocessEnd> run(const Subprocess& program) = 0;
  /// Whether SIGINT, SIGTERM or SIGHUP came: nothing more should be begun.
  [[nodiscard]] virtual bool interrupted() = 0;
};

/// Each program becomes a process group of its own, so that those that it starts end with it: when its time is over or
/// this program is asked to end, all get SIGTERM, and SIGKILL `grace_ns` later. While this object lives, SIGINT,
/// SIGTERM and SIGHUP do not end this program (those that were ignored stay so); one at a time. Linux 5.3 or later.
[[nodiscard]] std::unique_ptr<SubprocessRunner> system_subprocess_runner(int64_t grace_ns = 5'000'000'000);

/// What a program printed; an error where it cannot be started or fails. For short outputs.
[[nodiscard]] Result<std::string> output_of(SubprocessRunner& runner, Subprocess program, const std::string& scratch);

}  // namespace sonde
