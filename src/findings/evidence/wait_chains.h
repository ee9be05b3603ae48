#pragma once

#include <vector>

#include "analyses/replay/replay.h"
#include "findings/facts.h"

namespace sonde {

/// The host time of waits in a row, each for a few short kernels: a check of each parameter, values that are printed
/// one by one. One check of all, or none, leaves nothing of it: neither the calls between the waits nor their kernels.
/// `waits` are rows of `api` in ascending order.
[[nodiscard]] std::vector<Cut> chains_of_waits(const Facts& facts, const std::vector<Row>& waits);

}  // namespace sonde
