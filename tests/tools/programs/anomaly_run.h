#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulated_host.h"

/// Runs all detectors on simulated weeks.
namespace simulated_host {

/// A kind of fault, and the detectors whose incidents on that GPU are about it.
struct FaultRow {
  Fault fault = Fault::none;
  std::string_view words;
  std::vector<std::string_view> detectors;
  double delay_limit_days = 0;  ///< after which it counts as not found
};
[[nodiscard]] const std::vector<FaultRow>& fault_rows();

struct Outcome {
  std::optional<double> delay_hours;  ///< from the fault's beginning to its incident; nothing where it was not found
  std::vector<std::string> false_alarms;  ///< "day 3.2 GPU 4 cooling_worse: its summary"
  double gpu_weeks = 0;
  double microseconds_per_round = 0;  ///< of all detectors
};

/// A run of this seed; the seed also chooses GPU and moment of the fault, days 4 to 9 of 14.
[[nodiscard]] Outcome run(const FaultRow& row, uint64_t seed, double days, int64_t interval_s);

}  // namespace simulated_host
