#pragma once

#include <span>
#include <string>

#include "dispatch/simulation/simulation.h"

namespace sonde::simulate {

/// Queue and use of the GPUs over time as characters, two lines for each strategy.
[[nodiscard]] std::string bars_text(std::span<const dispatch::simulation::Outcome> outcomes, size_t width);
/// The same as a picture, light or dark as the viewer's system is.
[[nodiscard]] std::string plot_svg(std::span<const dispatch::simulation::Outcome> outcomes);

}  // namespace sonde::simulate
