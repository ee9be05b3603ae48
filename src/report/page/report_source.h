#pragma once

#include <optional>
#include <string>

#include "analyses/modules/module_tree.h"
#include "analyses/summary.h"
#include "analyses/timeline/timeline.h"
#include "findings/rule.h"
#include "report/page/stats_tables.h"

namespace sonde {

/// What not every report holds, since it takes time to make.
struct ReportParts {
  bool tables = false;
  bool timeline = false;
  bool exact_names = false;  ///< modules whose names differ by a number stand apart
};

/// A copy of a profile, without what recording cost (take_out_recorder()).
struct RunWithoutRecorder {
  const Trace& trace;
  std::optional<KernelJoin> join;
  WithoutRecorder recorder;
};

/// One profile of a report, and what was worked out of it for all parts.
struct ReportSource {
  /// `run`, `without` and the traces of joins must outlive it. Works on all cores.
  ReportSource(std::string shown_as, const Trace& run, std::optional<KernelJoin> join, ReportParts parts,
               std::optional<RunWithoutRecorder> without = std::nullopt);

  std::string label;  ///< "base", "new", or the file's name
  const Trace& trace;
  Facts facts;                  ///< as recorded
  std::optional<Facts> judged;  ///< without what recording cost, where that is known
  Diagnosis diagnosis;          ///< of judged_facts()
  RunSummary summary;
  ModuleTree modules;
  /// With exact names, for a page, where `modules` has others and this has few enough rows.
  std::optional<ModuleTree> exact_modules;
  std::vector<RankTurns> turns;    ///< steps of each rank
  std::vector<StatsTable> tables;  ///< of every statistics report in their order; empty unless asked for
  Timeline timeline;               ///< with every event; empty unless asked for

  [[nodiscard]] const Facts& judged_facts() const { return judged ? *judged : facts; }
  /// The first event: all times of a report are counted from it.
  [[nodiscard]] int64_t origin_ns() const { return summary.start_ns; }
  [[nodiscard]] int64_t span_ns() const { return summary.total_ns; }
};

/// What reports read.
[[nodiscard]] Fields report_fields();

}  // namespace sonde
