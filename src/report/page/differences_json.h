#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gate/difference/difference.h"
#include "report/page/report_source.h"

namespace sonde {

/// A finding of two profiles: its place in the findings of each, absent where one does not have it.
struct FindingPair {
  std::string id;
  std::optional<size_t> base;
  std::optional<size_t> changed;
};

/// Those of the new profile in their order, then those that are gone. What several findings of one id say is matched in
/// their order.
[[nodiscard]] std::vector<FindingPair> match_findings(const std::vector<Finding>& base,
                                                      const std::vector<Finding>& changed);

/// Both sides over the same part of their runs.
struct PageDifference {
  gate::Difference difference;
  std::vector<std::string> notes;  ///< limits_of()
};
[[nodiscard]] PageDifference difference_of(const ReportSource& base, const ReportSource& changed);

/// What changed from one profile to another (Differences of web/src/data/format.ts): findings by id, causes,
/// times by name.
[[nodiscard]] nlohmann::ordered_json differences_json(const ReportSource& base, const ReportSource& changed);

}  // namespace sonde
