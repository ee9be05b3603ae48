#pragma once

#include <string>

#include "analyses/reports/shared_stats_report.h"

namespace sonde {

/// The empty table of a report, with the report's name and title.
[[nodiscard]] inline Table table_of(const StatsReport& report) {
  Table table;
  table.name = report.name;
  table.title = report.title;
  return table;
}

}  // namespace sonde
