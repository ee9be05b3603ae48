#pragma once

#include <vector>

#include "analyses/kernels/kernel_groups.h"
#include "analyses/modules/module_kernel_metrics.h"
#include "report/page/report_source.h"

namespace sonde {

/// The kernels of a report: launches of one shape on a timeline, single launches of a kernel report. Most time first.
struct KernelRows {
  std::vector<KernelGroup> groups;
  bool from_reports = false;  ///< the file is a kernel report: a row is a launch
  /// Whose counters tell of the rows; nullptr without any.
  const Trace* counters = nullptr;
  std::vector<MeasuredKernels> measured;        ///< of each row; empty without counters
  std::vector<std::vector<uint32_t>> profiles;  ///< of each row the kernel profiles behind it, each once
};

/// At most `most` rows.
[[nodiscard]] KernelRows kernel_rows(const ReportSource& source, size_t most);

}  // namespace sonde
