#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// Which GPUs were sampled, how often, what for and at what cost; what is missing, or why there is nothing.
void add_gpu_metrics_remarks(std::vector<Remark>& remarks, const Profile& profile, const Wanted& wanted);

}  // namespace sonde::record
