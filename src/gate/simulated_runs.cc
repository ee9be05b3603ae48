#include "gate/simulated_runs.h"

#include <cmath>

namespace sonde::gate {
namespace {

/// Neighbours pull each other: x' = a x + sqrt(1 - a^2) e keeps the deviation at 1.
TimedRun simulate_run(const NoiseModel& model, double level, Random& random) {
  const double fresh = std::sqrt(1 - model.autocorrelation * model.autocorrelation);
  TimedRun times(model.steps);
  double state = random.normal();
  for (double& time : times) {
    const double delay = random.unit() < model.tail_share ? -model.tail_mean * std::log(1 - random.unit()) : 0;
    time = level * std::exp(model.within_run * state) * (1 + delay);
    state = model.autocorrelation * state + fresh * random.normal();
  }
  return times;
}

double level_of(const NoiseModel& model, size_t made_before, Random& random) {
  const double drift = 1 + model.drift_per_run * static_cast<double>(made_before);
  return model.typical_ns * drift * std::exp(model.between_runs * random.normal());
}

/// base, changed, changed, base and again.
bool is_changed(size_t place) { return place % 4 == 1 || place % 4 == 2; }

}  // namespace

SimulatedSides simulate_sides(const NoiseModel& model, size_t runs_per_side, double change, Random& random) {
  SimulatedSides sides;
  for (size_t made = 0; sides.base.size() + sides.changed.size() < 2 * runs_per_side; ++made) {
    const bool changed = is_changed(made);
    TimedRuns& side = changed ? sides.changed : sides.base;
    if (side.size() == runs_per_side) continue;
    const double level = level_of(model, made, random);
    side.push_back(simulate_run(model, changed ? level * change : level, random));
  }
  return sides;
}

TimedRuns simulate_runs(const NoiseModel& model, size_t runs, Random& random) {
  TimedRuns made;
  for (size_t i = 0; i < runs; ++i) made.push_back(simulate_run(model, level_of(model, i, random), random));
  return made;
}

}  // namespace sonde::gate
