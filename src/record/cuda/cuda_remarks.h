#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// What a recording holds of CUDA, by which CUPTI, what it cost and what is missing, and why. `holding`: processes that
/// ended, or became another program, while CUPTI still held records of them (Header::cuda_active).
void add_cuda_remarks(std::vector<Remark>& remarks, const CudaTally& tally, const Wanted& wanted, uint32_t holding);

/// Why there is nothing, or not all, by what the processes said. A sentence each.
[[nodiscard]] std::vector<std::string> cuda_problems(const CudaTally& tally);

}  // namespace sonde::record
