#include "gate/sessions/session_prediction.h"

#include <cmath>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>

#include "gate/random.h"

namespace sonde::gate {
namespace {

/// Logarithms of session means, in units of 2 %.
using Noise = std::function<std::vector<double>(size_t, Random&)>;

double normal(Random& random) { return random.normal(); }

/// Student's t with 3 degrees of freedom, of variance 1.
double heavy(Random& random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double x = random.normal();
    squares += x * x;
  }
  return random.normal() / std::sqrt(squares);
}

std::vector<double> independent(size_t count, Random& random, double (*noise)(Random&)) {
  std::vector<double> values(count);
  for (double& value : values) value = noise(random);
  return values;
}

struct Path {
  double drift = 0;      ///< a session, always in one direction
  double walk = 0;       ///< deviation of a step of a random walk
  double step_rate = 0;  ///< part of the sessions before which the level changes for good, by 3 deviations
};

std::vector<double> with_path(std::vector<double> values, const Path& path, Random& random) {
  double level = 0;
  for (double& value : values) {
    level += path.drift + path.walk * random.normal();
    if (random.unit() < path.step_rate) level += 3 * random.normal();
    value += level;
  }
  return values;
}

SessionHistory history_of(std::span<const double> noise) {
  SessionHistory history;
  for (const double value : noise) history.sessions.push_back({.runs = {std::exp(0.02 * value)}});
  return history;
}

constexpr size_t kSessions = 40;
constexpr double kLevel = 0.005;

/// Part of the sessions of unchanged programs that are beyond the limit, each judged by all before it.
double alarms(const Noise& noise, int histories) {
  Random random(1);
  size_t found = 0;
  size_t judged = 0;
  for (int h = 0; h < histories; ++h) {
    const std::vector<double> values = noise(kSessions, random);
    for (size_t k = kFewestSessions; k < kSessions; ++k) {
      const SessionPrediction prediction(history_of(std::span(values).first(k)), 1);
      found += std::exp(0.02 * values[k]) / prediction.level() > prediction.limit(kLevel) ? 1 : 0;
      ++judged;
    }
  }
  return static_cast<double>(found) / static_cast<double>(judged);
}

/// Part of the changes that are found after `sessions` whose means differ by 2 %, where 3 % is allowed.
double power(double change, size_t sessions, int histories) {
  Random random(1);
  int found = 0;
  for (int h = 0; h < histories; ++h) {
    const std::vector<double> values = independent(sessions + 1, random, normal);
    const SessionPrediction prediction(history_of(std::span(values).first(sessions)), 1);
    const double ratio = (1 + change) * std::exp(0.02 * values.back()) / prediction.level();
    found += ratio > std::max(1.03, prediction.limit(kLevel)) ? 1 : 0;
  }
  return static_cast<double>(found) / histories;
}

Noise path(double (*noise)(Random&), Path of) {
  return [=](size_t count, Random& random) { return with_path(independent(count, random, noise), of, random); };
}

/// 10,000, those of docs/gate/sessions.md, in tests/full/session_rates.py.
int histories() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  return std::getenv("SONDE_FULL_TESTS") != nullptr ? 10'000 : 300;
}

TEST(SessionPrediction, UnchangedProgramsFailInAtMostOneOfAHundred) {
  const std::vector<std::pair<const char*, Noise>> cases = {
      {"normal", path(normal, {})},
      {"heavy tails", path(heavy, {})},
      {"drift of 0.3 deviations a session", path(normal, {.drift = 0.3})},
      {"random walk of 0.3 deviations", path(normal, {.walk = 0.3})},
      {"random walk of 3 deviations", path(normal, {.walk = 3})},
      {"a step before each 50th session", path(normal, {.step_rate = 0.02})},
      {"a step before each 20th session", path(normal, {.step_rate = 0.05})},
      {"heavy tails, random walk and steps", path(heavy, {.walk = 0.2, .step_rate = 0.02})},
  };
  for (const auto& [name, noise] : cases) {
    const double rate = alarms(noise, histories());
    std::printf("| %s | %.2f %% |\n", name, 100 * rate);
    EXPECT_LE(rate, histories() >= 10'000 ? 0.01 : 0.0125) << name;
  }
}

TEST(SessionPrediction, FindsAChangeOfFiveSpreadsAfterTenSessions) {
  const int count = 10 * histories();
  for (const double change : {0.02, 0.05, 0.1}) {
    std::printf("| %.0f %% | %.0f %% | %.0f %% |\n", 100 * change, 100 * power(change, 10, count),
                100 * power(change, 20, count));
  }
  EXPECT_GE(power(0.1, kFewestSessions, count), 0.8);
}

TEST(SessionPrediction, NeedsTenSessionsOfOneLevel) {
  SessionHistory history;
  EXPECT_EQ(missing_sessions(history), 10U);
  for (int i = 0; i < 10; ++i) history.sessions.push_back({.runs = {1.0 + 0.01 * (i % 3)}});
  EXPECT_EQ(missing_sessions(history), 0U);
  history.sessions[5].new_level = true;
  EXPECT_EQ(missing_sessions(history), 1U);
}

TEST(SessionPrediction, AnAcceptedChangeIsTheNewLevelAndNoNoise) {
  SessionHistory history;
  for (int i = 0; i < 12; ++i) history.sessions.push_back({.runs = {(i < 9 ? 1.0 : 2.0) * (1 + 0.01 * (i % 2))}});
  history.sessions[9].new_level = true;
  const SessionPrediction prediction(history, 1);
  EXPECT_NEAR(prediction.level(), 2.0, 0.03);
  EXPECT_LT(prediction.spread(), 0.02);
}

TEST(SessionPrediction, APinnedSessionIsTheLevel) {
  SessionHistory history;
  for (int i = 0; i < 12; ++i) history.sessions.push_back({.runs = {1 + 0.01 * i}});
  history.level = 0;
  EXPECT_DOUBLE_EQ(SessionPrediction(history, 1).level(), 1);
}

TEST(SessionPrediction, ASessionOfFewerRunsIsLessSure) {
  SessionHistory history;
  for (int i = 0; i < 12; ++i) history.sessions.push_back({.runs = {1.0 + 0.001 * (i % 2), 1.1, 0.9, 1.05, 0.95}});
  EXPECT_GT(SessionPrediction(history, 1).limit(kLevel), SessionPrediction(history, 5).limit(kLevel));
  EXPECT_NEAR(*SessionPrediction(history, 5).run_spread(), 0.08, 0.02);
}

TEST(SessionPrediction, SessionsThatNeverDifferAllowNothing) {
  SessionHistory history;
  for (int i = 0; i < 10; ++i) history.sessions.push_back({.runs = {5.0}});
  const SessionPrediction prediction(history, 1);
  EXPECT_DOUBLE_EQ(prediction.limit(kLevel), 1);
  EXPECT_EQ(prediction.p_above(1.01), 0);
  EXPECT_EQ(prediction.p_above(1), 1);
}

}  // namespace
}  // namespace sonde::gate
