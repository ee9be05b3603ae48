#pragma once

#include <span>

#include "analyses/tables/table.h"
#include "dispatch/simulation/measures.h"

namespace sonde::simulate {

/// A row for each strategy. They point to nothing.
[[nodiscard]] Table strategies_table(std::span<const dispatch::simulation::Measures> all);
/// A row for each strategy and priority, or type.
[[nodiscard]] Table priorities_table(std::span<const dispatch::simulation::Measures> all);
[[nodiscard]] Table types_table(std::span<const dispatch::simulation::Measures> all);

}  // namespace sonde::simulate
