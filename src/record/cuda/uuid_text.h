#pragma once

#include <cstdint>
#include <string>

namespace sonde::record {

/// The UUID of a GPU as Nsight has it: groups of 4, 2, 2, 2 and 6 bytes. Empty where there is none.
[[nodiscard]] std::string uuid_text(const uint8_t (&bytes)[16]);

}  // namespace sonde::record
