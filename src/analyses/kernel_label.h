#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyses/stats_report.h"
#include "analyses/table.h"

namespace sonde {

/// The name of a kernel in the form that the report's arguments ask for: demangled, :base or :mangled.
/// A form that the file does not have falls back to the demangled name.
[[nodiscard]] NameId kernel_label(const Trace& trace, Row kernel, const ReportArguments& arguments);

/// The fields that labels of these arguments need.
[[nodiscard]] Fields kernel_label_fields(const ReportArguments& arguments);

/// What a kernel is grouped by and shown under: with :nvtx-name the innermost range's name stands before the kernel's.
struct KernelName {
  NameId range = kNone;
  NameId kernel = kNone;
  bool operator==(const KernelName&) const = default;
  friend size_t hash_value(const KernelName& n) { return (size_t{n.range} << 32 | n.kernel) * 0x9E3779B97F4A7C15ULL; }
};

[[nodiscard]] KernelName kernel_name(const Trace& trace, Row kernel, const ReportArguments& arguments);
/// "range/kernel", or the kernel alone where no range holds its launch.
[[nodiscard]] std::string_view text_of(const Trace& trace, const KernelName& name, Table& table);

/// The innermost push/pop range of any domain around the call that launched a GPU operation, or kNone.
[[nodiscard]] Row innermost_range(const Trace& trace, Row launch);

}  // namespace sonde
