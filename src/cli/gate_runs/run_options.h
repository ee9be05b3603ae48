#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/gate_runs/run_maker.h"
#include "cli/options.h"

namespace sonde {

/// What all commands take that make runs.
struct RunOptions {
  std::vector<std::string> words;  ///< the command, after `--`
  std::string warm_up = "1";
  std::string profile_pattern;
  std::string keep;
  std::string time_limit;
  int retries = 0;
  int most_throttled = 5;
  int most_disturbed = 5;
  std::string lock_clocks;
  std::string processors;
  bool show_output = false;
};
void add_run_options(CommandLine& command, RunOptions& options);

/// What is wrong with them: a wrong command line.
[[nodiscard]] Result<RunMakerOptions> maker_options(const RunOptions& options);

/// Runs to warm up: a number, absent for "auto". The error is a wrong command line.
[[nodiscard]] Result<std::optional<int>> warm_up_runs(const RunOptions& options);

/// Unlocks clocks that killed runs left locked, and locks them where `maker` says so and it is allowed; tells a person
/// what could not be done. Gives `maker` the condition that its runs state.
[[nodiscard]] LockedClocks clocks_for(RunMakerOptions& maker);

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
