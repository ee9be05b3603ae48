#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "findings/rule.h"

namespace sonde {

/// All findings and abstentions as a document, the times of their evidence counted from `origin_ns` on. Texts are as
/// the profile has them: they may not be UTF-8.
[[nodiscard]] nlohmann::ordered_json diagnosis_document(const Facts& facts, const Diagnosis& diagnosis,
                                                        int64_t origin_ns = 0);

/// One more part of the run, which `facts` look at.
[[nodiscard]] nlohmann::ordered_json part_document(const Facts& facts, const Diagnosis& diagnosis,
                                                   int64_t origin_ns = 0);

/// What the recorder cost a step.
[[nodiscard]] nlohmann::ordered_json recorder_json(const RecordedStep& step);

/// A document written out.
[[nodiscard]] std::string diagnosis_json(const nlohmann::ordered_json& document);

}  // namespace sonde
