#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/descriptor.h"

/// The folder in which this user's sessions have their sockets: $XDG_RUNTIME_DIR/sonde, else /tmp/sonde-UID.
namespace sonde::record {

/// Makes it where it is not there. One that is another user's, or open to others, is an error.
[[nodiscard]] Result<std::string> session_folder();

/// Held while sockets are made or cleared away.
[[nodiscard]] Descriptor lock_folder(const std::string& folder);

/// The socket of a session of this name.
[[nodiscard]] std::string socket_path(const std::string& folder, const std::string& name);

/// A name is a letter, and up to 63 letters, digits, '-', '_' and '.' behind it.
[[nodiscard]] Status check_session_name(const std::string& name);

/// A connection to the session; none where nobody listens, which clears away what is left of a dead one.
[[nodiscard]] Descriptor connect_session(const std::string& path);

/// Names of all sockets, those of dead recorders too.
[[nodiscard]] std::vector<std::string> session_names(const std::string& folder);

}  // namespace sonde::record
