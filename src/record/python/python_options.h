#pragma once

#include <cstdint>

namespace sonde::record {

/// What is recorded of Python's threads, all of it by the recorder, which reads the program's memory.
struct PythonOptions {
  bool stacks = false;      ///< --python-sampling
  bool gil = false;         ///< -t python-gil: who has and who waits for the global interpreter lock
  int frequency_hz = 1000;  ///< of each Python thread, whether it runs or waits

  [[nodiscard]] bool any() const { return stacks || gil; }
};

}  // namespace sonde::record
