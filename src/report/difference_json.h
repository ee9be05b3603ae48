#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/comparison.h"

namespace sonde {

/// `sonde compare -f json` (docs/compare.schema.json).
[[nodiscard]] std::string comparison_json(const Comparison& comparison);

/// Causes as documents have them: id, sentence, arguments, change.
[[nodiscard]] nlohmann::ordered_json causes_json(const std::vector<gate::Cause>& causes);

}  // namespace sonde
