#pragma once

#include <cstdint>

namespace sonde::inject::nccl {

/// The registered string of a text of NCCL's, of which there are few; 0 for null, and where there is no room.
[[nodiscard]] uint32_t number_of(const char* text) noexcept;

}  // namespace sonde::inject::nccl
