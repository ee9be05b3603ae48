#pragma once

#include <span>
#include <vector>

#include "importers/nsys_container.h"
#include "importers/nsys_report_part.h"

namespace sonde::nsys {

/// Reads the events of all blocks, in as many parts as there are workers; parts come back in the order of the file.
[[nodiscard]] std::vector<ReportPart> read_events(const NsysRun& run, std::span<const PackedBlock> blocks);

/// Reads the events of one unpacked block.
void read_events(std::string_view block, const ReportWants& wants, ReportPart& part);

/// Gives the rows of all parts their place in the trace.
void append_events(NsysRun& run, std::span<ReportPart> parts);

}  // namespace sonde::nsys
