#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sonde::record {

/// Appends, in perf's form, where the code of each process lies that runs now: Linux tells only of later ones.
void append_running_processes(int64_t time, std::vector<std::byte>& out);

}  // namespace sonde::record
