#include <nlohmann/json.hpp>

#include "cli/simulate/documents.h"

namespace sonde::simulate {
namespace {

using dispatch::simulation::GpuUse;
using dispatch::simulation::Measures;
using dispatch::simulation::Moment;
using dispatch::simulation::Outcome;
using dispatch::simulation::Waits;
using Json = nlohmann::ordered_json;

constexpr double kSecond_ns = 1e9;
double seconds(int64_t ns) { return static_cast<double>(ns) / kSecond_ns; }

Json optional(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json share(int64_t part, int64_t whole) {
  return whole == 0 ? Json(nullptr) : Json(static_cast<double>(part) / static_cast<double>(whole));
}

Json waits_json(const Waits& waits) {
  return {{"started", waits.tasks},
          {"median_seconds", seconds(waits.median_ns)},
          {"p90_seconds", seconds(waits.p90_ns)},
          {"p99_seconds", seconds(waits.p99_ns)},
          {"longest_seconds", seconds(waits.longest_ns)}};
}

Json waits_by(const std::map<std::string, Waits>& by) {
  Json all = Json::object();
  for (const auto& [name, waits] : by) all[name] = waits_json(waits);
  return all;
}

Json gpus_json(const Outcome& outcome) {
  Json all = Json::array();
  for (const GpuUse& gpu : outcome.gpus) {
    all.push_back({{"name", gpu.name},
                   {"memory_bytes", gpu.memory_bytes},
                   {"use", gpu.use},
                   {"memory_held", gpu.held_share},
                   {"memory_kept", gpu.reserved_share}});
  }
  return all;
}

Json moments_json(const Outcome& outcome) {
  Json all = Json::array();
  for (const Moment& moment : outcome.moments) {
    all.push_back({{"at_seconds", seconds(moment.at_ns)},
                   {"waiting", moment.waiting},
                   {"running", moment.running},
                   {"use", moment.use}});
  }
  return all;
}

Json memory_json(const Measures& m) {
  return {{"attempts", m.attempts},
          {"out_of_memory", m.out_of_memory},
          {"attempts_of_known_types", m.experienced_attempts},
          {"out_of_memory_of_known_types", m.experienced_out_of_memory}};
}

Json forecasts_json(const Measures& m) {
  return {{"made", m.forecasts},
          {"in_range", m.forecasts_held},
          {"earlier", m.started_early},
          {"later", m.started_late},
          {"share_in_range", share(m.forecasts_held, m.forecasts)}};
}

Json strategy_json(const Outcome& outcome, const Measures& m) {
  return {{"strategy", m.strategy},
          {"tasks", m.submitted},
          {"succeeded", m.succeeded},
          {"failed", m.failed},
          {"timed_out", m.timed_out},
          {"refused", outcome.refused},
          {"left", m.left},
          {"cut_off", outcome.was_cut_off},
          {"waits", waits_json(m.waits)},
          {"waits_by_priority", waits_by(m.by_priority)},
          {"waits_by_type", waits_by(m.by_type)},
          {"slowdown", optional(m.slowdown)},
          {"fairness", optional(m.fairness)},
          {"use", m.use},
          {"memory_held", m.held_share},
          {"memory_kept", m.reserved_share},
          {"makespan_seconds", seconds(m.makespan_ns)},
          {"memory", memory_json(m)},
          {"forecasts", forecasts_json(m)},
          {"gpus", gpus_json(outcome)},
          {"moments", moments_json(outcome)}};
}

}  // namespace

std::string measures_json(std::span<const Outcome> outcomes, std::span<const Measures> measures, uint64_t seed) {
  Json strategies = Json::array();
  for (size_t i = 0; i < outcomes.size(); ++i) strategies.push_back(strategy_json(outcomes[i], measures[i]));
  const Json document = {{"version", 1}, {"simulated", true}, {"seed", seed}, {"strategies", std::move(strategies)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde::simulate
