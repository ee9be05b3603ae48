#pragma once

#include <vector>

#include "analyses/reports/shared_stats_report.h"

namespace sonde {

/// A statistics report of the run, as far as it is shown.
struct StatsTable {
  const StatsReport* report = nullptr;
  Table table;            ///< without rows where the profile has no data for it, and where it was left out
  size_t rows = 0;        ///< that there are; the table has fewer where it is long
  bool left_out = false;  ///< it would take too long
};

/// Rows that a table has at most; of a trace, which has a row an event and which the timeline shows better.
inline constexpr size_t kMaxRowsOfTable = 5000;
inline constexpr size_t kMaxRowsOfTrace = 1000;

/// Reports that take long are left out of larger runs: of 5 million events the traces take 0.3 to 10 s each.
inline constexpr size_t kMaxEventsOfSlow = 1'000'000;

[[nodiscard]] StatsTable stats_table(const StatsReport& report, const Trace& trace);

}  // namespace sonde
