#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gate/permutation.h"

/// What earlier sessions of a program tell of the next one.
///
/// Runs within sessions, sessions within the machine: a two-level random effects model (Kalibera and Jones, Rigorous
/// benchmarking in reasonable time, ISMM 2013). Runs of one session share its clocks, load and memory, so that the
/// session is the replicate. Each session's mean, on a logarithmic scale, is held against the mean of those before it;
/// the errors of these one-step predictions are the measure of the error of the next (Dawid, Prequential analysis,
/// 1984). A drift of the machine is in them as much as its noise is.
namespace sonde::gate {

struct Session {
  std::vector<double> runs;  ///< one value above 0 a run; at least one
  bool new_level = false;    ///< accepted as a change: those before it tell nothing of its level
};

struct SessionHistory {
  std::vector<Session> sessions = {};  ///< oldest first
  std::optional<size_t> level = {};    ///< the session that alone is the level (a pinned one); else the last ones are
};

/// With fewer, nothing is judged. With ten whose means differ by 2 %, a change of 10 % is found in 84 of 100 cases.
inline constexpr size_t kFewestSessions = 10;

/// The gate looks at no more, the newest of them.
inline constexpr size_t kMostSessions = 30;

/// Sessions that are still missing; 0 where they are enough.
[[nodiscard]] size_t missing_sessions(const SessionHistory& history);

class SessionPrediction {
 public:
  /// Of a session with so many runs. The history is long enough, or at least has two sessions of one level.
  SessionPrediction(const SessionHistory& history, size_t new_runs);

  [[nodiscard]] double level() const;  ///< that is expected, in the unit of the runs
  /// How far the means of sessions lie from what those before them let expect, as a share (standard deviation).
  [[nodiscard]] double spread() const;
  /// Standard deviation of the runs within a session, as a share; absent where no session has two runs.
  [[nodiscard]] std::optional<double> run_spread() const { return run_spread_; }

  /// That a session of an unchanged program is at least `ratio` times the level (Student's t).
  [[nodiscard]] double p_above(double ratio) const;
  /// That it is at most that.
  [[nodiscard]] double p_below(double ratio) const;
  /// The ratio to the level that a session of an unchanged program exceeds with probability `p`, but at least half as
  /// far again from 1 as any before it was, whatever the distribution's tails.
  [[nodiscard]] double limit(double p) const;
  /// Of a program whose session was measured at `ratio` times the level.
  [[nodiscard]] RatioInterval interval(double ratio, double confidence) const;
  /// The same after so many more sessions that differ as those so far do.
  [[nodiscard]] SessionPrediction after_more(size_t sessions) const;

 private:
  double log_level_ = 0;
  double error_ = 0;    ///< standard deviation of the next session's logarithm from the level's
  double spread_ = 0;   ///< the same of a level that is known
  double largest_ = 0;  ///< of the errors so far, scaled to the next one's
  double degrees_ = 0;  ///< of freedom of error_
  std::optional<double> run_spread_;
};

}  // namespace sonde::gate
