#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "cli/command.h"
#include "record/cpu/cpu_options.h"

namespace sonde::record_cli {

/// The options of nsys for CPU samples and thread states, as given. Unlike nsys none is recorded until it is asked for:
/// 1 kHz costs a program 2 to 3 % of its time on a virtual machine, and a call that blocks twice a thread switch.
struct CpuArguments {
  std::string sample = "none";
  std::string switches;  ///< empty: as `sample`
  std::string backtrace = "auto";
  int frequency_hz = 1000;
  int samples_per_backtrace = 1;
};

[[nodiscard]] std::shared_ptr<CpuArguments> add_cpu_options(CommandLine& command);

/// Words that nsys does not know either are errors.
[[nodiscard]] Result<record::CpuOptions> cpu_options_of(const CpuArguments& arguments);

}  // namespace sonde::record_cli
