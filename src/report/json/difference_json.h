#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/tables/comparison.h"

namespace sonde {

/// `sonde compare -f json` (docs/schemas/compare.schema.json).
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// A split with all its levels.
[[nodiscard]] nlohmann::ordered_json difference_json(const gate::Difference& difference);

/// Kernels of kernel reports with their chains of cause.
[[nodiscard]] nlohmann::ordered_json chains_json(const std::vector<gate::KernelChange>& changes);

/// Causes as documents have them: id, sentence, arguments, change.
[[nodiscard]] nlohmann::ordered_json causes_json(const std::vector<gate::Cause>& causes);

}  // namespace sonde
