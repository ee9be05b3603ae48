#pragma once

#include <string>

namespace sonde::server {

/// Whether only programs of this host reach an address: 127.0.0.0/8, ::1, "localhost".
[[nodiscard]] bool is_loopback(const std::string& address);

}  // namespace sonde::server
