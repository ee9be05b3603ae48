#include "cli/session/ask.h"

#include <cstdlib>

#include "base/text/secrets.h"
#include "cli/output.h"
#include "record/session/client.h"

namespace sonde::session_cli {

void add_session_option(CommandLine& command, std::optional<std::string>& session) {
  command.option("--session", session, "NAME", "name of the session; optional if only one exists");
}

int ask(const std::optional<std::string>& session, const record::Request& request) {
  const auto name = record::choose_session(session);
  if (!name) return report_error(name.error());
  const auto answer = record::ask_session(*name, request);
  if (!answer) return report_error(answer.error());
  for (const std::string& line : answer->lines) complain(line);
  return answer->done ? kDone : kCannot;
}

Result<SessionStatus> status_of(const std::string& session) {
  auto answer = record::ask_session(session, {});
  if (!answer) return std::unexpected(answer.error());
  constexpr size_t kLines = 5;
  auto& lines = answer->lines;
  lines.resize(kLines);
  return SessionStatus{
      .state = lines[0], .kind = lines[1], .seconds = lines[2], .output = lines[3], .program = printable(lines[4])};
}

nlohmann::ordered_json status_json(const std::string& session, const SessionStatus& status) {
  using Json = nlohmann::ordered_json;
  return {{"session", session},
          {"state", status.state},
          {"kind", status.kind},
          {"seconds", std::strtod(status.seconds.c_str(), nullptr)},
          {"profile", status.output.empty() ? Json(nullptr) : Json(status.output)},
          {"program", status.program}};
}

}  // namespace sonde::session_cli
