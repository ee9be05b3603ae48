#pragma once

#include "record/kernels/request.h"
#include "record/pc_sampling/kernel_samples.h"
#include "record/record.h"

namespace sonde::record {

/// How sampling went, and why something was not sampled: with what to do about it.
void add_sample_remarks(std::vector<Remark>& remarks, const SampleTally& tally, const MeasureRequest& request);

}  // namespace sonde::record
