#pragma once

#include <vector>

#include "gate/record/run_record.h"

namespace sonde::gate {

/// Sorts shapes and adds up the counts of those that are alike.
[[nodiscard]] std::vector<KernelShape> joined_shapes(std::vector<KernelShape> shapes);

}  // namespace sonde::gate
