#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "findings/rule.h"

namespace sonde {

/// The launches of one kernel in a kernel report, with what bounds the longest and what saves most.
struct MeasuredKernel {
  std::string name;
  int64_t launches = 0;
  int64_t ns = 0;
  const MeasuredLaunch* longest = nullptr;
  std::string bound;         ///< "memory (DRAM)"; empty where it was not collected
  std::string_view finding;  ///< id of the finding that saves most of its time, else of its limit; empty without one
  int64_t saves_ns = 0;      ///< by that finding; 0 for a limit
};

/// By name, the one that takes most time first. The facts must outlive them.
[[nodiscard]] std::vector<MeasuredKernel> measured_kernels(const Facts& facts, const Diagnosis& diagnosis);

}  // namespace sonde
