#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace sonde::monitor {

/// y = a + b * watts, learned from minutes as they come, where old ones fade (half in 10 days of such minutes). It
/// speaks only of powers at which it has seen the GPU: beyond them a line is a guess.
class LineFit {
 public:
  void learn(double watts, double y);
  /// What y is usual at this power; absent while too little is known.
  [[nodiscard]] std::optional<double> at(double watts) const;

 private:
  double count_ = 0;
  double x_ = 0;
  double y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
  std::vector<double> seen_;  ///< minutes by steps of power
};

/// Power that has been about the same for some minutes, so that temperatures have settled.
class SteadyPower {
 public:
  /// Takes a minute's mean; the mean over the steady minutes, absent while it is not steady.
  [[nodiscard]] std::optional<double> take(std::optional<double> watts);

 private:
  std::vector<double> last_;
};

}  // namespace sonde::monitor
