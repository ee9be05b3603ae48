#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// How the recording of the CPU's work went: how much there is, what it cost, what is missing.
void add_cpu_remarks(std::vector<Remark>& remarks, const CpuTally& tally, const CpuOptions& options,
                     const CpuState& state);

}  // namespace sonde::record
