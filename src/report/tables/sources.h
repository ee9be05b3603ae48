#pragma once

#include <string>
#include <vector>

namespace sonde {

/// The runs of a side: each source once, in the order in which they came first, those of several runs with their
/// number: "python train.py (10 runs)".
[[nodiscard]] std::vector<std::string> distinct_sources(const std::vector<std::string>& sources);

}  // namespace sonde
