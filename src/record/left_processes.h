#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace sonde::record {

/// Those of the processes that still run, with their names: "4711 (python3), 4712 (python3)"; empty: none does. A
/// process that has ended and waits for its parent does not count.
[[nodiscard]] std::string still_running(const std::set<uint32_t>& processes);

}  // namespace sonde::record
