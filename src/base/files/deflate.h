#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// Raw deflate (RFC 1951), which browsers inflate as "deflate-raw". Levels are libdeflate's: 1 fast to 12 small.
[[nodiscard]] std::string deflate_raw(std::string_view bytes, int level);

}  // namespace sonde
