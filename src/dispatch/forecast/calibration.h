#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace sonde::dispatch::forecast {

/// A forecast as it was played, before it is calibrated.
struct Played {
  int64_t said_ns = 0;    ///< when it was made
  int64_t likely_ns = 0;  ///< median of the draws
  int64_t scale_ns = 1;   ///< by which errors are measured: half the range of the draws, and some of the wait
  int64_t priority = 0;
};

/// By how many scales to go from `likely`.
struct Offsets {
  double low = -1.2;
  double middle = 0;
  double high = 1.6;
};

/// Learns from how forecasts turned out. The range of the next one is that of the quantiles of the normalised errors
/// (start - likely) / scale of the last starts that were alike, by priority and by how long they were to wait (split
/// conformal prediction: Lei et al., J. Am. Stat. Assoc. 113, 2018, section 5.2). Since the queue changes over the
/// day, the level of both quantiles is moved after each start that was missed on its side, and back after others, so
/// that in the long run each side misses its share whatever happens (adaptive conformal inference: Gibbs and Candes,
/// NeurIPS 2021).
class Calibration {
 public:
  [[nodiscard]] Offsets offsets(const Played& played) const;
  /// `was_early`, `was_late`: it started before or after the range that was said.
  void learn(const Played& played, int64_t started_ns, bool was_early, bool was_late);

 private:
  using Errors = std::deque<double>;  ///< the oldest first
  struct Levels {
    double low = 0;
    double high = 0;
  };
  [[nodiscard]] const Errors* alike(const Played& played) const;
  std::map<std::pair<int64_t, size_t>, Errors> by_priority_and_wait_;
  std::map<size_t, Errors> by_wait_;
  Errors all_;
  std::map<size_t, Levels> levels_;  ///< by wait; what is added to the share that each side may miss
};

}  // namespace sonde::dispatch::forecast
