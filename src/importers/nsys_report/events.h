#pragma once

#include <span>

#include "importers/nsys_report/container.h"
#include "importers/nsys_report/part.h"

namespace sonde::nsys {

/// Reads the events of all blocks, on as many threads as there are workers; rows are in the order of the file.
[[nodiscard]] ReportPart read_events(const NsysRun& run, std::span<const PackedBlock> blocks);

/// Reads the events of one unpacked block.
void read_events(std::string_view block, const ReportWants& wants, ReportPart& part);

/// Gives the rows their place in the trace.
void append_events(NsysRun& run, ReportPart& events);

}  // namespace sonde::nsys
