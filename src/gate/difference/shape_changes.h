#pragma once

#include <map>
#include <span>
#include <string>

#include "gate/record/run_record.h"

namespace sonde::gate {

/// What is different in how kernels of both sides were launched or compiled, by kernel: "registers 64 -> 72, grid
/// 108x1x1 -> 216x1x1". Kernels that were launched in the same ways are not in it. Of a kernel with several shapes the
/// most frequent ones that the other side does not have are reported.
using ShapeChanges = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] ShapeChanges shape_changes(std::span<const RunRecord> base, std::span<const RunRecord> changed);

/// The shape with most launches by kernel, over all runs of a side.
[[nodiscard]] std::map<std::string, KernelShape, std::less<>> main_shapes(std::span<const RunRecord> runs);

/// "108x1x1"
[[nodiscard]] std::string dim_text(const Dim3& dim);

}  // namespace sonde::gate
