#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "analyses/summary.h"

namespace sonde {

/// The run on one screen as a document (docs/schemas/summary.schema.json), its times counted from `origin_ns` on. Texts
/// are as the profile has them: they may not be UTF-8.
[[nodiscard]] nlohmann::ordered_json summary_document(const Trace& trace, const RunSummary& summary,
                                                      int64_t origin_ns = 0);

/// A document written out.
[[nodiscard]] std::string summary_json(const nlohmann::ordered_json& document);

}  // namespace sonde
