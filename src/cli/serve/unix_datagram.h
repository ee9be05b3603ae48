#pragma once

#include <string>

namespace sonde::serve {

/// Sends one datagram to a Unix socket, as systemd's interfaces for readiness and the journal expect it. `socket`: a
/// path, or @NAME of the abstract namespace. One that is too long for the socket goes as a sealed file in memory, which
/// the journal reads. False where nothing receives it.
bool send_datagram(const std::string& socket, std::string bytes);

}  // namespace sonde::serve
