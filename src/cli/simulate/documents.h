#pragma once

#include <span>
#include <string>

#include "dispatch/simulation/measures.h"
#include "dispatch/simulation/simulation.h"

namespace sonde::simulate {

/// All that is known of each strategy but its single tasks: docs/schemas/simulate.schema.json.
[[nodiscard]] std::string measures_json(std::span<const dispatch::simulation::Outcome> outcomes,
                                        std::span<const dispatch::simulation::Measures> measures, uint64_t seed);
/// A line for each attempt and GPU: docs/serve/simulate.md names the columns.
[[nodiscard]] std::string intervals_csv(std::span<const dispatch::simulation::Outcome> outcomes);
/// A line for each task: likewise.
[[nodiscard]] std::string tasks_csv(std::span<const dispatch::simulation::Outcome> outcomes);

}  // namespace sonde::simulate
