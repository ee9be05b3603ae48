#include <nlohmann/json.hpp>

#include "synth/synth.h"

namespace sonde::synth {

std::string planted_json(const SynthOptions& options, const Synthesis& synthesis) {
  nlohmann::ordered_json document;
  document["version"] = 2;
  document["seed"] = options.seed;
  document["program"] = options.program;
  document["gpus"] = options.gpus;
  document["iterations"] = synthesis.iterations;
  document["total_ns"] = synthesis.total_ns;
  if (!options.recorded_by.empty()) {
    document["recorded_by"] = options.recorded_by;
    document["unrecorded_ns"] = synthesis.unrecorded_ns;
  }
  document["steps_ns"] = synthesis.steps;
  document["plants"] = nlohmann::ordered_json::array();
  for (const PlantedCost& p : synthesis.planted) {
    document["plants"].push_back({{"name", p.name},
                                  {"where", p.where},
                                  {"cost_ns", p.cost_ns},
                                  {"step_cost_ns", p.step_cost_ns},
                                  {"base_total_ns", p.base_total_ns},
                                  {"planted_total_ns", p.planted_total_ns},
                                  {"base_steps_ns", p.base_steps}});
  }
  return document.dump(2) + "\n";
}

}  // namespace sonde::synth
