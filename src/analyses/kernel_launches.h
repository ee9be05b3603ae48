#pragma once

#include <string>
#include <string_view>

#include "analyses/range_label.h"
#include "analyses/stats_report.h"

namespace sonde {

/// The phases of a kernel from its launching call to its end. They can overlap.
struct LaunchPhases {
  int64_t api_start = 0;
  int64_t api_ns = 0;
  int64_t queue_ns = kUnknown;  ///< from the call's end to the kernel's start, where the kernel starts later
  int64_t kernel_ns = 0;
  int64_t total_ns = 0;  ///< from the call's start to the later of the call's and the kernel's end
};

/// Of a kernel with a known launch.
[[nodiscard]] LaunchPhases phases_of_launch(const Trace& trace, Row kernel);

/// What a report calls a kernel: its name, behind that of the innermost range around its launch with :nvtx-name.
struct KernelCaption {
  RangeLabel range;  ///< empty without :nvtx-name or outside of ranges
  NameId kernel = kNone;

  friend bool operator==(const KernelCaption&, const KernelCaption&) = default;
  friend size_t hash_value(const KernelCaption& c) {
    size_t seed = hash_value(c.range);
    boost::hash_combine(seed, c.kernel);
    return seed;
  }
};

[[nodiscard]] KernelCaption caption_of_kernel(const Trace& trace, Row kernel, const ReportArguments& arguments);

/// "range/kernel" or the kernel's name alone; kept by the table or the trace.
[[nodiscard]] std::string_view caption_text(Table& table, const Trace& trace, const KernelCaption& caption);

/// What captions read of the trace.
[[nodiscard]] Fields caption_fields(const ReportArguments& arguments);

}  // namespace sonde
