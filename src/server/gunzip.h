#pragma once

#include <string>
#include <string_view>

namespace sonde::server {

/// What gzip packed, for clients that cannot unpack it. Only for bytes of the program itself: empty where they are
/// broken.
[[nodiscard]] std::string gunzip(std::string_view bytes);

}  // namespace sonde::server
