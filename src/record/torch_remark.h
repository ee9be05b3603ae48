#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// Adds that ranges of PyTorch's modules were asked for and there are none.
void add_torch_remark(std::vector<Remark>& remarks, const Tally& tally, const RecordOptions& options);

}  // namespace sonde::record
