#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"

namespace sonde::dispatch {

/// A program that may not take longer than its time.
struct BoundedRun {
  std::vector<std::string> words;  ///< program, looked up in PATH, and its arguments
  std::string output_file;         ///< of standard output, replaced
  std::string error_file;          ///< of standard error, replaced
  std::chrono::milliseconds time_limit{0};
};

/// How it ended.
struct BoundedEnd {
  int status = 0;  ///< exit status; 0 where a signal ended it
  int signal = 0;
  bool timed_out = false;
  bool stopped = false;
};

/// "exit status 3", "killed by signal 9", "was ended after its time limit".
[[nodiscard]] std::string shown_end(const BoundedEnd& end);

/// Waits for the program, at low priority, in a process group of its own, which is ended with it: SIGTERM, SIGKILL 5 s
/// later. Ends it where `stop` becomes true. The error says why it could not be started. Unlike SubprocessRunner it
/// leaves this program's signals alone, and any thread can run it.
[[nodiscard]] Result<BoundedEnd> run_bounded(const BoundedRun& run, const std::atomic<bool>& stop);

/// The last line with something in it, of the file's last 4 KiB; empty where there is none.
[[nodiscard]] std::string last_line(const std::string& file);

/// Where a program is that is named by its path, or that PATH has; empty where it is not there or cannot be run.
[[nodiscard]] std::string program_path(const std::string& name);

}  // namespace sonde::dispatch
