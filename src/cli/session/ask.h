#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "record/session/message.h"

/// What the commands have in common that tell a recorder what to do.
namespace sonde::session_cli {

void add_session_option(CommandLine& command, std::optional<std::string>& session);

/// Asks the session that is meant, and tells what came of it on standard error. Gives the exit code.
int ask(const std::optional<std::string>& session, const record::Request& request);

struct SessionStatus {
  std::string state;    ///< idle, waiting, recording or shut down
  std::string kind;     ///< record or launch
  std::string seconds;  ///< since its begin
  std::string output;   ///< of what it records; may be empty
  std::string program;
};
[[nodiscard]] Result<SessionStatus> status_of(const std::string& session);
/// {"session", "state", "kind", "seconds", "profile" or null, "program"}
[[nodiscard]] nlohmann::ordered_json status_json(const std::string& session, const SessionStatus& status);

}  // namespace sonde::session_cli
