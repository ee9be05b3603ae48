#pragma once

#include <nlohmann/json.hpp>

#include "gate/decide/decision.h"

namespace sonde {

/// Figures of the new side of which `better` is the good way, as github-action-benchmark takes them.
[[nodiscard]] nlohmann::ordered_json benchmark_document(const gate::Decision& decision, gate::Better better);

}  // namespace sonde
