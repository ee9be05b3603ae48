#pragma once

#include "trace/trace.h"

namespace sonde {

/// A timeline of a kernel report: its launches one after the other, each with a launching call, in the ranges that were
/// open at them. A range that is open at one launch and at the next is taken for one range, since a report does not
/// tell when ranges begin and end. Linked; the report's own launches can be joined with it (kernel_join.h).
[[nodiscard]] Trace timeline_of_launches(const Trace& reports);

/// Whether any launch of a kernel report was in a range.
[[nodiscard]] bool has_ranges(const Trace& reports);

}  // namespace sonde
