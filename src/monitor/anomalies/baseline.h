#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sonde::monitor {

/// Median; the values are put into another order. They must not be empty.
[[nodiscard]] double median_of(std::vector<double>& values);

/// What is usual for a value of one GPU: median and spread of the medians of 60 minutes each in which it was measured
/// in comparable conditions, over the last 14 days of such minutes at most. An hour whose median is half as far
/// off as the judge allows is not learned: a fault must not become usual.
class Baseline {
 public:
  /// `learn_hours`: of such minutes, before anything is judged.
  explicit Baseline(size_t learn_hours) : learn_hours_(learn_hours) {}
  /// One minute. `limit`: how far from the median the judge allows.
  void add(double value, double limit);
  [[nodiscard]] bool ready() const { return hours_.size() >= learn_hours_; }
  [[nodiscard]] double median() const { return median_; }
  /// 1.4826 times the median distance from the median: the standard deviation, if they were normal.
  [[nodiscard]] double spread() const { return spread_; }

 private:
  void learn(double hour);

  size_t learn_hours_;
  std::vector<double> minutes_;  ///< of the hour that runs
  std::vector<double> hours_;    ///< a ring
  size_t next_ = 0;
  double median_ = 0;
  double spread_ = 0;
};

/// When a deviation is said, and when it is over.
struct SustainedLimits {
  double on = 0;
  double off = 0;
  size_t minutes = 15;  ///< whose median counts
};

/// Says a deviation only once it lasts: the median of the last minutes is beyond `on`, until it is within `off`.
class Sustained {
 public:
  bool take(double deviation, const SustainedLimits& limits);
  [[nodiscard]] bool on() const { return on_; }
  /// The median that on() is about.
  [[nodiscard]] double deviation() const { return deviation_; }

 private:
  bool on_ = false;
  double deviation_ = 0;
  std::vector<double> last_;  ///< a ring
  std::vector<double> sorted_;
  size_t next_ = 0;
};

}  // namespace sonde::monitor
