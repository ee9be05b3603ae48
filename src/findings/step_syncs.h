#pragma once

#include "findings/facts.h"

namespace sonde {

/// Rows of `api`: calls that wait for the GPU within a step that then goes on to launch more work. The waits at a
/// step's end, behind its last launch, are not among them: they hand results over.
[[nodiscard]] std::vector<Row> syncs_inside_steps(const Facts& facts);

}  // namespace sonde
