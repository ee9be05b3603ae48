#pragma once

#include "trace/trace.h"

namespace sonde {

/// Ends an import: sorts every table by start (ranges that start together: longest first), repairs negative durations,
/// and makes the links that the fields ask for:
/// - the API call that launched each GPU operation (by process and correlation id; ids are unique in a process only);
/// - the kernel of each of NCCL's operations (nccl_operations.h);
/// - the parent of each push/pop range, and for each domain the innermost range around each API call.
/// One sweep per thread: O(n log n) in all. What does not fit is counted in the import log.
void link(Trace& trace);

/// The part of link() that repairs negative durations and sorts every table.
void order_tables(Trace& trace);

/// The part of link() that gives the columns that were asked for a row for every event: absent where the source has no
/// such column. Left empty where no event has them: end_thread, sequence, backward, shapes, details of ranges, chains,
/// occupancy and collectives of kernels.
void fill_columns(Trace& trace);

/// The part of link() about ranges, on sorted tables. Writes `ranges` and `range_links` only, not the log. Gives back
/// how many ranges cross another of their thread and domain.
int64_t link_ranges(Trace& trace);

}  // namespace sonde
