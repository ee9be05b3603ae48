#pragma once

#include <vector>

#include "record/nccl/nccl_tally.h"
#include "record/record.h"

namespace sonde::record {

/// What NCCL did not tell, where it was asked.
void add_nccl_remarks(std::vector<Remark>& remarks, const NcclTally& tally, const NcclOptions& options);

}  // namespace sonde::record
