#pragma once

#include <nlohmann/json.hpp>

#include "findings/rule.h"

namespace sonde {

/// What bounds each kernel of a kernel report, and the finding that saves most of its time.
[[nodiscard]] nlohmann::ordered_json measured_kernels_json(const Facts& facts, const Diagnosis& diagnosis);

}  // namespace sonde
