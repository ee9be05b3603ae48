#pragma once

#include <cstdint>
#include <string>

namespace sonde::record {

/// Why the driver could not be initialized, and what to do, by what cuInit() gave (CUresult).
[[nodiscard]] std::string no_gpu_text(int32_t result);

}  // namespace sonde::record
