#include "cli/record/python_sampling.h"

namespace sonde::record_cli {

void add_python_options(CommandLine& command, PythonArguments& arguments) {
  constexpr int kMostHz = 2000;  // as in nsys
  command.flag("--python-sampling", arguments.sampling,
               "sample the call stacks of Python threads (CPython 3.8 to 3.13)");
  command
      .option("--python-sampling-frequency", arguments.frequency_hz, "HZ",
              "samples per second of each Python thread, for --python-sampling and -t python-gil")
      .within(1, kMostHz, "samples a second")
      .shows_default();
}

record::PythonOptions python_options_of(const PythonArguments& arguments, bool gil) {
  return {.stacks = arguments.sampling, .gil = gil, .frequency_hz = arguments.frequency_hz};
}

}  // namespace sonde::record_cli
