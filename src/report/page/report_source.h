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
};

/// One profile of a report, and what was worked out of it for all parts.
struct ReportSource {
  /// `trace`, and the traces of `join`, must outlive it. Works on all cores.
  ReportSource(std::string shown_as, const Trace& run, std::optional<KernelJoin> join, ReportParts parts);

  std::string label;  ///< "base", "new", or the file's name
  const Trace& trace;
  Facts facts;
  Diagnosis diagnosis;
  RunSummary summary;
  ModuleTree modules;
  std::vector<RankTurns> turns;    ///< steps of each rank
  std::vector<StatsTable> tables;  ///< of every statistics report in their order; empty unless asked for
  Timeline timeline;               ///< with every event; empty unless asked for

  /// The first event: all times of a report are counted from it.
  [[nodiscard]] int64_t origin_ns() const { return summary.start_ns; }
  [[nodiscard]] int64_t span_ns() const { return summary.total_ns; }
};

/// What reports read.
[[nodiscard]] Fields report_fields();

}  // namespace sonde
