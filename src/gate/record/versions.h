#pragma once

#include <string>
#include <string_view>

/// Versions as their makers print them, whatever the profile writes.
namespace sonde::gate {

/// "525.105.17": of a text as it is, of the driver's number (52510517) in its parts.
[[nodiscard]] std::string driver_version(std::string_view text);

/// "12.4" of CUDA's number (12040); of a text as it is.
[[nodiscard]] std::string cuda_version(std::string_view text);

}  // namespace sonde::gate
