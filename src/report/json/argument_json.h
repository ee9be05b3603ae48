#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "findings/finding.h"

namespace sonde {

/// What a key of a document ends in: "_ns", "_bytes", "_percent"; nothing for a count.
[[nodiscard]] std::string_view unit_suffix(Unit unit);

/// Arguments of a text by name, the key ending in the unit.
[[nodiscard]] nlohmann::ordered_json arguments_json(std::span<const Argument> arguments);

}  // namespace sonde
