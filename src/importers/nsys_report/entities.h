#pragma once

#include "importers/nsys_report/container.h"
#include "importers/nsys_report/part.h"

namespace sonde::nsys {

/// What the report is, when and how it was recorded. Throws protozero's exceptions.
void read_report_source(NsysRun& run, const ReportLayout& layout);

/// After all events: the names of their processes and threads, the GPUs, and which stream runs on which. Throws
/// protozero's exceptions.
void read_report_entities(NsysRun& run, const ReportLayout& layout, const ReportPart& events);

/// Rows of the tables that an export would make of the target's description. Throws protozero's exceptions.
void count_target(const ReportLayout& layout, std::vector<std::pair<std::string, int64_t>>& holds);

}  // namespace sonde::nsys
