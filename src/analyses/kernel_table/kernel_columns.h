#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/kernels/kernel_groups.h"
#include "analyses/tables/table.h"
#include "base/error.h"

namespace sonde {

/// How the values of a group's launches become one.
enum class Combine : uint8_t {
  sum,           ///< absent where any launch lacks it
  mean_by_time,  ///< weighted by duration, over the launches that have it
  of_longest,    ///< the longest launch's
};

/// A column of `sonde kernels`. One row of kernel_columns.inc each. Exactly one of the functions is there.
struct KernelColumn {
  std::string_view name;         ///< as --columns takes it
  std::string_view title;        ///< header
  std::string_view description;  ///< one line
  Unit unit = Unit::none;
  int decimals = 0;
  Combine combine = Combine::mean_by_time;
  std::string_view collected_by{};  ///< ncu's option for it; empty where an empty cell says something of the kernel
  std::string_view quantity{};      ///< whose absence explains that of the column (metrics/quantities.h)
  std::optional<double> (*number)(const KernelLaunch& launch) = nullptr;
  std::string (*text)(const KernelLaunch& launch) = nullptr;  ///< of the longest; empty where it is not known
  std::optional<double> (*of_group)(const KernelGroup& group, double total_ns) = nullptr;
};

[[nodiscard]] std::span<const KernelColumn> kernel_columns();

/// The columns that are shown unless others are asked for: what counters tell where there are any, else what the shape
/// of the launches tells.
[[nodiscard]] std::vector<std::string> default_kernel_columns(bool measured);

/// The table of `groups` with the named columns. A name is that of a row of kernel_columns.inc, of a quantity
/// (metrics/quantities.h), of an nvprof metric, or a metric as ncu names it. Unknown names are an error with the
/// nearest.
[[nodiscard]] Result<Table> kernel_table(const Trace& trace, const std::vector<KernelGroup>& groups,
                                         const std::vector<std::string>& columns);

/// What the columns read of a timeline.
[[nodiscard]] Fields kernel_column_fields();

}  // namespace sonde
