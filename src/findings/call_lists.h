#pragma once

#include <string>
#include <vector>

#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// How many of which API calls: "38 cudaDeviceSynchronize, 2 cudaStreamSynchronize".
[[nodiscard]] std::string names_of_calls(const Facts& facts, const std::vector<Row>& calls);

/// The longest ten, on their threads.
[[nodiscard]] std::vector<Evidence> calls_as_evidence(const Facts& facts, std::vector<Row> calls);

}  // namespace sonde
