#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

/// Which kernels of a timeline are worth their counters.
namespace sonde::study {

struct ChosenKernel {
  std::string function;  ///< its bare name
  int64_t launches = 0;
  double time_ns = 0;  ///< sum of durations
  /// Share of the GPU that its launches leave unused by formula, weighed by time: warps that do not fit, blocks that
  /// are too few, last waves. Absent where the recording does not tell the launch's shape or the GPU.
  std::optional<double> headroom;
  int64_t measured = 0;         ///< launches that will be measured, about
  double measured_time_ns = 0;  ///< of those

  /// Time times headroom; half of the time counts for what no formula sees.
  [[nodiscard]] double weight() const { return time_ns * (1 + headroom.value_or(1)) / 2; }
};

struct Choice {
  std::vector<ChosenKernel> kernels;  ///< the greatest weight first
  int64_t functions = 0;              ///< on the timeline
  double time_ns = 0;                 ///< of all kernels
  [[nodiscard]] double chosen_ns() const;
  [[nodiscard]] int64_t measured() const;
};

struct Bounds {
  size_t kernels = 10;
  double share = 0.95;  ///< of the time of all kernels: no kernel is chosen beyond it
  int64_t each = 2;     ///< launches of a function with one grid and block in one place of the ranges
};

[[nodiscard]] Choice choose_kernels(const Trace& timeline, const Bounds& bounds);
/// What choose_kernels() reads.
[[nodiscard]] Fields choice_fields();

/// An extended regular expression that matches the chosen functions' names and no others.
[[nodiscard]] std::string expression_of(const Choice& choice);

/// What was chosen, why, and what measuring it costs. `metrics` as --metrics has it.
[[nodiscard]] std::string text_of(const Choice& choice, const Bounds& bounds, const std::string& metrics);

}  // namespace sonde::study
