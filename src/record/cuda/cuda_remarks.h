#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// What a recording holds of CUDA, by which CUPTI, what it cost and what is missing, and why.
void add_cuda_remarks(std::vector<Remark>& remarks, const CudaTally& tally, const Wanted& wanted);

}  // namespace sonde::record
