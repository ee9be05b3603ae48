#pragma once

#include <string_view>

#include "analyses/ranges/range_label.h"
#include "analyses/reports/shared_stats_report.h"

namespace sonde {

/// The name of a kernel in the form that the report's arguments ask for: demangled, :base or :mangled.
/// A form that the file does not have falls back to the demangled name.
[[nodiscard]] NameId kernel_label(const Trace& trace, Row kernel, const ReportArguments& arguments);

/// What a report calls a kernel: its name, behind that of the innermost range around its launch with :nvtx-name.
struct KernelCaption {
  RangeLabel range;  ///< empty without :nvtx-name or outside of ranges
  NameId kernel = kNone;

  friend bool operator==(const KernelCaption&, const KernelCaption&) = default;
  friend size_t hash_value(const KernelCaption& c) {
    constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 by the golden ratio: spreads small ids over all bits
    return ((uint64_t{c.range.domain} << 32 | c.range.text) * kOdd ^ c.kernel) * kOdd;
  }
};

[[nodiscard]] KernelCaption caption_of_kernel(const Trace& trace, Row kernel, const ReportArguments& arguments);

/// "range/kernel" or the kernel's name alone; kept by the table or the trace.
[[nodiscard]] std::string_view caption_text(Table& table, const Trace& trace, const KernelCaption& caption);

/// What captions read of the trace.
[[nodiscard]] Fields caption_fields(const ReportArguments& arguments);

}  // namespace sonde
