#pragma once

#include <span>
#include <string_view>

#include <nlohmann/json.hpp>

#include "report/page/report_source.h"

namespace sonde {

/// A part of the report that is data of its own (Sections of web/src/data/format.ts, where its content is declared).
/// One file and one row of sections.inc each.
struct ReportSection {
  std::string_view name;
  std::string_view description;
  /// null where the profile has nothing for it.
  nlohmann::ordered_json (*write)(const ReportSource& source);
};

[[nodiscard]] std::span<const ReportSection* const> report_sections();

}  // namespace sonde
