#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/session/message.h"

namespace sonde::record {

/// Sessions of this user that answer, by name.
[[nodiscard]] Result<std::vector<std::string>> living_sessions();

/// The session that is meant: the one of that name, or the only one there is.
[[nodiscard]] Result<std::string> choose_session(const std::optional<std::string>& name);

/// Asks a session, and waits for its answer: of a stop, until the profiles are written.
[[nodiscard]] Result<Answer> ask_session(const std::string& name, const Request& request);

}  // namespace sonde::record
