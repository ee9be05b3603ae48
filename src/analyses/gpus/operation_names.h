#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/events.h"

namespace sonde {

/// "[CUDA memcpy Host-to-Device]" and the like, as `nsys stats` writes them.
[[nodiscard]] std::string_view copy_operation(uint8_t copy_kind);
/// "Host-to-Device": the same without what is alike in all.
[[nodiscard]] std::string_view copy_direction(uint8_t copy_kind);
[[nodiscard]] std::string_view set_operation();
/// "Pageable", "Pinned", "Device", ...; empty where absent.
[[nodiscard]] std::string_view memory_kind_name(uint8_t memory_kind);

}  // namespace sonde
