#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/command.h"
#include "report/tables/table_format.h"

namespace sonde {

/// Where rendered text goes: standard output, a file, or the standard input of a command.
class Output {
 public:
  /// Standard output.
  Output();
  /// A new file. An existing one is an error unless `overwrite`.
  [[nodiscard]] static Result<Output> to_file(const std::string& path, bool overwrite);
  /// A command, split at blanks and run without a shell, as `nsys stats -o @COMMAND` does.
  [[nodiscard]] static Result<Output> to_command(const std::string& command_line);

  void write(std::string_view text);
  [[nodiscard]] Sink sink() {
    return [this](std::string_view text) { write(text); };
  }
  /// Flushes, closes, and waits for a command. Says when something could not be written.
  [[nodiscard]] Status close();

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };
  Output(std::FILE* file, std::string name, int child);
  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
  int child_ = 0;  ///< process to wait for, 0 for none
};

/// What a terminal on standard output allows; nothing on a pipe. NO_COLOR is honoured.
[[nodiscard]] RenderOptions terminal_options();

/// Prints to standard error, behind what standard output holds: where both are one file, no line is torn.
void note(std::string_view text);

/// Prints "sonde: <text>" to standard error, control characters as blanks. That it cannot be written there is no error.
void complain(std::string_view text);

/// Prints "sonde: <message>" and gives the exit code.
int report_error(const Error& error);

}  // namespace sonde
