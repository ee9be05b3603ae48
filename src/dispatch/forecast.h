#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dispatch/decision.h"
#include "dispatch/engine.h"

namespace sonde::dispatch {

/// Says when waiting tasks should start: plays the queue forward with run times drawn from the past, and widens or
/// narrows its range by how far it was off before, so that 80 % of tasks start within it. One thread.
class Forecaster {
 public:
  explicit Forecaster(uint64_t seed) : seed_(seed) {}

  /// Nothing, with `why`, where it cannot be said: run times that nobody knows, no GPU that could ever take it.
  [[nodiscard]] std::optional<StartForecast> start_of(const Engine& engine, int64_t task, int64_t now_ns,
                                                      std::string& why);
  /// Remembers a forecast until the task starts.
  void remember(int64_t task, int64_t said_ns, const StartForecast& forecast);
  void started(int64_t task, int64_t moment_ns);

 private:
  uint64_t seed_;
};

}  // namespace sonde::dispatch
