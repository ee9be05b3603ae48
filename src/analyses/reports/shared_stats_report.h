#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/tables/table.h"
#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

/// What stands behind the colons of a report's name, as in `cuda_gpu_kern_sum:nvtx-name:base`.
struct ReportArguments {
  bool nvtx_name = false;       ///< :nvtx-name, put the innermost range's name before the kernel's
  bool base = false;            ///< :base, short kernel names
  bool mangled = false;         ///< :mangled, the linker's kernel names
  std::optional<int64_t> rows;  ///< :rows=N
};

/// A statistics report of `nsys stats`, or one of Sonde's own in the same manner. One row of list.inc each.
struct StatsReport {
  std::string_view name;
  std::string_view usage;        ///< name with its arguments, as `nsys stats --help-reports` writes it
  std::string_view title;        ///< the heading that people see above the table
  std::string_view description;  ///< what it shows, each column, for --help-reports
  std::string_view data;         ///< what a file must hold: "FILE does not contain <data> data."
  bool in_default_set;
  Fields (*fields)(const ReportArguments& arguments);
  /// No rows when the trace holds nothing of the kind. The table's texts may point into `trace`.
  Result<Table> (*run)(const Trace& trace, const ReportArguments& arguments);
};

/// All reports in the order of list.inc, which is the order of the default set of `nsys stats`.
[[nodiscard]] std::span<const StatsReport> stats_reports();

struct ChosenReport {
  const StatsReport* report = nullptr;
  ReportArguments arguments;
};

/// Reads `name[:argument...]`. Unknown names and arguments get the nearest known one.
[[nodiscard]] Result<ChosenReport> choose_report(std::string_view specification);

}  // namespace sonde
