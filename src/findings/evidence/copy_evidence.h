#pragma once

#include <vector>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// The longest of these rows of `copies`, on their GPUs.
[[nodiscard]] std::vector<Evidence> evidence_of_copies(const Facts& facts, std::vector<Row> rows);

}  // namespace sonde
