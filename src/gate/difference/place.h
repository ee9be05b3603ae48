#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gate/difference/leaf.h"

namespace sonde::gate {

/// Modules and how much of a change each has.
using Weights = std::vector<std::pair<std::string, double>>;

/// Where most of a change lies, as one path: a module's; where several like one another have it, numbers become "#" and
/// parts that differ "*" ("train/forward/layer.#/mlp"); else the innermost module that they all are in, or where
/// they have no more in common than an outermost range the two heaviest and ", ...". "(outside any module)" is one too.
[[nodiscard]] std::string place_of(const Weights& weights);
[[nodiscard]] std::string place_of(std::span<Leaf* const> leaves);

}  // namespace sonde::gate
