#pragma once

#include <span>
#include <string_view>

#include "analyses/tables/table.h"
#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

/// What Sonde draws from the metrics of one measured launch, beside the sections of the report. One row of
/// kernel_views.inc each.
struct KernelView {
  std::string_view name;         ///< "stall_reasons"
  std::string_view title;        ///< heading
  std::string_view section;      ///< id of the section behind which it is shown
  std::string_view description;  ///< what it shows and how it is computed, for the docs
  /// The table, or the names of the metrics that were not collected and how to collect them. Texts may point into the
  /// trace.
  Result<Table> (*run)(const Trace& trace, const KernelProfile& kernel);
};

[[nodiscard]] std::span<const KernelView> kernel_views();

}  // namespace sonde
