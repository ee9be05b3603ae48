#pragma once

#include <nlohmann/json.hpp>

#include "report/decision/decision_format.h"

namespace sonde {

/// A decision for programs (docs/schemas/gate.schema.json). Texts of profiles are as they are: they may not be UTF-8.
[[nodiscard]] nlohmann::ordered_json decision_document(const gate::Decision& decision, const DecisionContext& context);

/// Of a document, bytes that are no UTF-8 replaced, with a line end.
[[nodiscard]] std::string written_json(const nlohmann::ordered_json& document);

}  // namespace sonde
