#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "gate/decide/decision.h"
#include "report/page/report_source.h"
#include "report/tables/table_format.h"

namespace sonde {

/// What stands around a decision.
struct DecisionContext {
  std::string budget_file;  ///< as it was named; SARIF and annotations point into it
  std::string title;        ///< heading, as of a pull request's comment; empty: a usual one
  RenderOptions render = {};
  /// Of the run of each side whose step time is the median one; nullptr where no profile is at hand.
  /// A page takes their timelines, which it reduces to fit.
  ReportSource* base = nullptr;
  ReportSource* changed = nullptr;
};

/// A way to write what the gate decided. A file and a line of list.inc each.
struct DecisionFormat {
  std::string_view name;
  std::string_view description;
  std::string_view ending;  ///< of files: ".sarif"; empty where no ending tells (then the format has to be named)
  ReportParts parts;        ///< that it wants of the profiles
  bool needs_profiles;      ///< shows less without them, not nothing
  void (*write)(const gate::Decision& decision, const DecisionContext& context, const Sink& sink);
};

[[nodiscard]] std::span<const DecisionFormat* const> decision_formats();
[[nodiscard]] Result<const DecisionFormat*> find_decision_format(std::string_view name);
/// "[FORMAT:]FILE" as an option takes it: the format by name or by the file's ending.
struct DecisionTarget {
  const DecisionFormat* format = nullptr;
  std::string file;
};
[[nodiscard]] Result<DecisionTarget> parse_decision_target(std::string_view text);

}  // namespace sonde
