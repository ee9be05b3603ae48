#pragma once

#include "record/kernels/profiles.h"
#include "record/record.h"

namespace sonde::record {

/// How measuring went, and why something was not measured: with what to do about it.
[[nodiscard]] std::vector<Remark> measure_remarks(const MeasureTally& tally, const MeasureRequest& request);

}  // namespace sonde::record
