#pragma once

#include <string_view>

namespace sonde {

/// The name of an API call as Nsight's reports print it: without the ABI version of CUDA's runtime where that has four
/// digits (cudaLaunchKernel_v7000). Later ones (cudaGraphLaunch_v10000) and the driver's _v2 stay.
[[nodiscard]] std::string_view api_label(std::string_view name);

}  // namespace sonde
