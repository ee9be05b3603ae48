#pragma once

#include <limits>
#include <string>

#include "findings/rule.h"
#include "report/tables/table_format.h"

namespace sonde {

/// Shows all findings in full, folded ones too.
inline constexpr size_t kAllFindings = std::numeric_limits<size_t>::max();

/// The findings of highest ceiling, `most` of them, for people: what is wrong, the most that a fix can save, where it
/// shows, what to do. Lines keep to the terminal's width, or to 100 characters without one.
[[nodiscard]] std::string diagnosis_text(const Facts& facts, const Diagnosis& diagnosis, size_t most,
                                         const RenderOptions& options);

/// The answer where no finding leads: that rules looked, and which, or why they could not. Empty where there are
/// findings.
[[nodiscard]] std::string headline_without_findings(const Facts& facts, const Diagnosis& diagnosis);

/// The same of another part of the run, which `facts` look at.
[[nodiscard]] std::string part_text(const Facts& facts, const Diagnosis& diagnosis, size_t most,
                                    const RenderOptions& options);

/// "likely 31.2 ms to 46.4 ms, by 5 measured fixes"; empty for a finding without.
[[nodiscard]] std::string likely_text(const Finding& finding);

/// What the recorder cost, wrapped to the width.
[[nodiscard]] std::string recorder_text(const RecordedStep& step, size_t width);

/// The same beside figures that are as recorded.
[[nodiscard]] std::string recorder_beside_text(const RecordedStep& step, const RenderOptions& options);

/// A text of the catalogue with its arguments written for people.
[[nodiscard]] std::string text_of(std::string_view id, const std::vector<Argument>& arguments);

}  // namespace sonde
