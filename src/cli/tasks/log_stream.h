#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output.h"
#include "cli/tasks/connection.h"
#include "cli/tasks/terminal_text.h"

namespace sonde::tasks {

struct LogChoice {
  int64_t task = 0;
  std::string stream = "stdout";
  std::optional<int64_t> attempt = {};  ///< absent: the last one, and when it is followed each one after it
  std::optional<int64_t> tail = {};     ///< bytes of its end
  bool follow = false;
};

/// What a task printed, from the service to standard output.
class LogStream {
 public:
  LogStream(Connection& connection, LogChoice choice);

  /// What is there. Followed: up to the task's end, over its attempts and restarts of the service.
  [[nodiscard]] Status show();
  /// The task as it was after that.
  [[nodiscard]] const Json& task() const { return task_; }

 private:
  [[nodiscard]] Status show_now();
  [[nodiscard]] Status follow();
  [[nodiscard]] Status follow_attempt();
  /// Asks for the next part, and writes it.
  [[nodiscard]] Result<Json> next_part(bool wait);
  void write(const Json& part);

  Connection& connection_;
  LogChoice choice_;
  Json task_;
  int64_t attempt_ = 0;
  int64_t from_ = 0;
  bool to_terminal_;
  TerminalText cleaner_;
};

}  // namespace sonde::tasks
