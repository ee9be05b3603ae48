#include "gate/sessions/session_prediction.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "gate/runs.h"

namespace sonde::gate {
namespace {

/// The level is the mean of so many sessions: of a machine that drifts, older ones tell little (docs/gate/sessions.md).
constexpr size_t kWindow = 8;

/// By how much a session must be further out than any before it. With 1.5, heavy tails (Student's t with 3 degrees of
/// freedom) give 0.8 % of false alarms at the level of 0.5 %; without, 1.4 %.
constexpr double kBeyondLargest = 1.5;

struct SessionLevel {
  double mean = 0;
  double count = 0;
};

/// Of the last sessions of [first, end).
SessionLevel level_of(const std::vector<double>& logs, size_t first, size_t end) {
  first = std::max(first, end - std::min(end, kWindow));
  double sum = 0;
  for (size_t i = first; i < end; ++i) sum += logs[i];
  const auto count = static_cast<double>(end - first);
  return {sum / count, count};
}

/// Variance of the next session from a level that is the mean of so many, in that of one session.
double with_level(double count) { return 1 + 1 / count; }

struct Errors {
  double squares = 0;
  double largest = 0;
  size_t count = 0;
};

/// Of one-step predictions, in units of a session from a known level.
Errors errors_of(const std::vector<Session>& sessions, const std::vector<double>& logs) {
  Errors errors;
  size_t first = 0;
  for (size_t i = 1; i < logs.size(); ++i) {
    if (sessions[i].new_level) {
      first = i;
      continue;
    }
    const SessionLevel level = level_of(logs, first, i);
    const double error = std::abs(logs[i] - level.mean) / std::sqrt(with_level(level.count));
    errors.squares += error * error;
    errors.largest = std::max(errors.largest, error);
    ++errors.count;
  }
  return errors;
}

size_t level_start(const std::vector<Session>& sessions) {
  const auto last = std::ranges::find(sessions.rbegin(), sessions.rend(), true, &Session::new_level);
  return last == sessions.rend() ? 0 : static_cast<size_t>(sessions.rend() - last) - 1;
}

/// Pooled over the sessions.
std::optional<double> variance_within(const std::vector<Session>& sessions) {
  double squares = 0;
  double degrees = 0;
  for (const Session& session : sessions) {
    std::vector<double> logs;
    for (const double value : session.runs) logs.push_back(std::log(value));
    const double mean = mean_of(logs);
    for (const double value : logs) squares += (value - mean) * (value - mean);
    degrees += static_cast<double>(logs.size() - 1);
  }
  return degrees > 0 ? std::optional(squares / degrees) : std::nullopt;
}

/// A session of fewer runs than the earlier ones have is less sure by this.
double added_variance(const std::vector<Session>& sessions, size_t new_runs, double within) {
  double share = 0;
  for (const Session& session : sessions) share += 1 / static_cast<double>(session.runs.size());
  return within * std::max(0.0, 1 / static_cast<double>(new_runs) - share / static_cast<double>(sessions.size()));
}

double quantile_above(double degrees, double p) {
  return boost::math::quantile(boost::math::complement(boost::math::students_t(degrees), p));
}

/// Of Student's t; where sessions do not differ at all, whatever differs from them is beyond chance.
double tail_above(double degrees, double distance, double error) {
  constexpr double kRounding = 1e-12;  // of logarithms of equal means
  if (error <= kRounding) return distance > kRounding ? 0 : 1;
  return boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), distance / error));
}

}  // namespace

size_t missing_sessions(const SessionHistory& history) {
  size_t levels = 1;
  for (size_t i = 1; i < history.sessions.size(); ++i) levels += history.sessions[i].new_level ? 1 : 0;
  const size_t needed = kFewestSessions - 1 + levels;
  return needed - std::min(needed, history.sessions.size());
}

SessionPrediction::SessionPrediction(const SessionHistory& history, size_t new_runs) {
  const std::vector<Session>& sessions = history.sessions;
  std::vector<double> logs;
  for (const Session& session : sessions) logs.push_back(std::log(mean_of(session.runs)));
  const Errors errors = errors_of(sessions, logs);
  const SessionLevel level =
      history.level ? SessionLevel{logs[*history.level], 1} : level_of(logs, level_start(sessions), logs.size());
  const auto within = variance_within(sessions);
  if (within) run_spread_ = std::sqrt(*within);
  degrees_ = static_cast<double>(errors.count);
  log_level_ = level.mean;
  const double between = errors.squares / degrees_;
  spread_ = std::sqrt(between);
  error_ = std::sqrt(between * with_level(level.count) + added_variance(sessions, new_runs, within.value_or(0)));
  largest_ = errors.largest * std::sqrt(with_level(level.count));
}

double SessionPrediction::level() const { return std::exp(log_level_); }

double SessionPrediction::spread() const { return std::expm1(spread_); }

double SessionPrediction::p_above(double ratio) const { return tail_above(degrees_, std::log(ratio), error_); }

double SessionPrediction::p_below(double ratio) const { return tail_above(degrees_, -std::log(ratio), error_); }

double SessionPrediction::limit(double p) const {
  return std::exp(std::max(quantile_above(degrees_, p) * error_, kBeyondLargest * largest_));
}

RatioInterval SessionPrediction::interval(double ratio, double confidence) const {
  const double reach = std::exp(quantile_above(degrees_, (1 - confidence) / 2) * error_);
  return {ratio / reach, ratio * reach};
}

SessionPrediction SessionPrediction::after_more(size_t sessions) const {
  SessionPrediction later = *this;
  later.degrees_ += static_cast<double>(sessions);
  return later;
}

}  // namespace sonde::gate
