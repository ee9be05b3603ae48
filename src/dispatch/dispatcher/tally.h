#pragma once

#include <string>

#include "dispatch/dispatcher.h"

namespace sonde::dispatch {

/// The last attempt of a task that is over; null where none is. The next one may have begun already.
[[nodiscard]] const Attempt* last_ended(const Task& task);

/// Counts what happened, for the metrics. One thread.
class Tally {
 public:
  Tally();
  void count(const TaskNews& news, const Task& task);
  void decided(const Decision& decision) { ++counts_.decisions[decision.strategy]; }
  void refused(const std::string& code, int64_t tasks) { counts_.refused[code] += tasks; }
  /// How long a step took that decided something.
  void stepped(double seconds) { counts_.longest_decision_s = std::max(counts_.longest_decision_s, seconds); }
  [[nodiscard]] const DispatchCounts& counts() const { return counts_; }

 private:
  void waited(const std::string& priority, double seconds);

  DispatchCounts counts_;
};

}  // namespace sonde::dispatch
