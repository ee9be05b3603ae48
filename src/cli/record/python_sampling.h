#pragma once

#include "cli/command.h"
#include "record/python/python_options.h"

namespace sonde::record_cli {

/// The options of nsys for samples of Python's threads, as given; off unless asked for, as in nsys.
struct PythonArguments {
  bool sampling = false;
  int frequency_hz = 1000;
};

void add_python_options(CommandLine& command, PythonArguments& arguments);

/// `gil`: -t names python-gil.
[[nodiscard]] record::PythonOptions python_options_of(const PythonArguments& arguments, bool gil);

}  // namespace sonde::record_cli
