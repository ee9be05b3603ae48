#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "dispatch/decision.h"
#include "dispatch/engine.h"
#include "dispatch/forecast/calibration.h"

namespace sonde::dispatch {

/// Says when waiting tasks should start: plays the queue forward with run times drawn from the past, and widens or
/// narrows its range by how far it was off before, so that 80 % of tasks start within it (forecast/calibration.h). The
/// cost is bounded: with more than a thousand tasks ahead it goes on from those at the pace at which they started.
/// One thread.
class Forecaster {
 public:
  explicit Forecaster(uint64_t seed) : random_(seed) {}

  /// Nothing, with `why`, where it cannot be said: run times that nobody knows, no GPU that could ever take it.
  [[nodiscard]] std::optional<StartForecast> start_of(const Engine& engine, int64_t task, int64_t now_ns,
                                                      std::string& why);
  /// Remembers a forecast until the task starts: the first one of a task, since that is the one that people plan by.
  void remember(int64_t task, int64_t said_ns, const StartForecast& forecast);
  void started(int64_t task, int64_t moment_ns);
  /// The task is over without having started.
  void dropped(int64_t task) { said_.erase(task); }

 private:
  struct Said {
    StartForecast forecast;
    forecast::Played played;
  };
  std::mt19937_64 random_;
  forecast::Calibration calibration_;
  std::map<int64_t, Said> said_;               ///< by task
  std::pair<int64_t, forecast::Played> last_;  ///< task of start_of(), and what was played for it
};

}  // namespace sonde::dispatch
