#pragma once

#include <optional>
#include <string>
#include <vector>
#include "cli/options.h"

#include "base/error.h"
#include "cli/gate_runs/run_maker.h"

namespace sonde {

/// What all commands take that make runs.
struct RunOptions {
  std::vector<std::string> words;  ///< the command, after `--`
  int warm_up = 1;
  std::string profile_pattern;
  std::string keep;
  std::string time_limit;
  int retries = 0;
  int most_throttled = 5;
  bool show_output = false;
};
void add_run_options(CommandLine& command, RunOptions& options);

/// What is wrong with them: a wrong command line.
[[nodiscard]] Result<RunMakerOptions> maker_options(const RunOptions& options);

/// A folder for the runs: a temporary one, or that of --keep.
[[nodiscard]] Result<RunFolder> folder_for(const RunOptions& options);

/// A duration of an option, absent where it is empty. The error names the option.
[[nodiscard]] Result<std::optional<int64_t>> duration_option(std::string_view option, const std::string& text);

/// Prints "sonde: <message>" with where help is, and gives the exit code of a wrong command line.
int gate_usage_error(const Error& error, std::string_view command);

/// Of a command that was ended by a signal, as shells have it.
inline constexpr int kInterruptedExit = 130;

/// Prints the error, and gives the exit code: of an interruption where there was one.
int run_error(const Error& error, SubprocessRunner& runner);

}  // namespace sonde
