#pragma once

#include "analyses/stats_report.h"

namespace sonde {

/// Stands in for kernel_label.h until that is merged: the name of a kernel that the report's arguments ask for.
[[nodiscard]] inline NameId kernel_label(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  const Kernels& k = trace.kernels;
  if (arguments.base && !k.short_name.empty() && k.short_name[kernel] != kNone) return k.short_name[kernel];
  if (arguments.mangled && !k.mangled_name.empty() && k.mangled_name[kernel] != kNone) return k.mangled_name[kernel];
  return k.name[kernel];
}

}  // namespace sonde
