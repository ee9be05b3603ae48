#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

/// The options of `sonde record` and `sonde start` that say what part of a program's life is recorded, and where to.
namespace sonde::record_cli {

struct ControlArguments {
  std::optional<std::string> output;
  std::optional<std::string> exported;  ///< the same by the name of ncu
  bool overwrite = false;
  double delay_s = 0;
  double duration_s = 0;
  double last_s = 0;  ///< 0: all
  std::string duration_from = "start";
  std::optional<std::string> kill;
  std::string kill_of_duration = "sigterm";  ///< where `kill` is not there, and no capture range ends the recording
  bool stop_on_exit = true;
  std::string capture_range = "none";
  std::string capture_range_end = "stop-shutdown";
  std::optional<std::string> nvtx_capture;
};

void add_control_options(CommandLine& command, ControlArguments& arguments);

/// The output's macros are expanded; it stays relative to the working folder.
[[nodiscard]] Result<record::RoundOptions> round_of(const ControlArguments& arguments);

/// What is done otherwise than asked, while the profile is `output`.
[[nodiscard]] std::vector<record::Remark> control_remarks(const ControlArguments& arguments, std::string_view output);

/// As nsys takes it: a name or a number; 0 for none.
[[nodiscard]] Result<int> kill_signal(const std::string& text);

}  // namespace sonde::record_cli
