#pragma once

#include "record/kernels/profiles.h"
#include "record/record.h"

namespace sonde::record {

/// What a result of CUPTI's means to a person, with what to do about it.
[[nodiscard]] std::string cause_of(int32_t result);

/// How measuring went, and why something was not measured: with what to do about it.
[[nodiscard]] std::vector<Remark> measure_remarks(const MeasureTally& tally, const MeasureRequest& request);

}  // namespace sonde::record
