#include "dispatch/executor/task_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/orphans.h"

namespace sonde::dispatch {
namespace {

constexpr std::array<std::string_view, 12> kOfTheService = {
    "SONDE_API_KEY", "SONDE_KEEPER",   "NOTIFY_SOCKET", "WATCHDOG_PID",   "WATCHDOG_USEC",         "LISTEN_FDS",
    "LISTEN_PID",    "LISTEN_FDNAMES", "INVOCATION_ID", "JOURNAL_STREAM", "CREDENTIALS_DIRECTORY", "SYSTEMD_EXEC_PID"};

}  // namespace

std::vector<std::string> task_environment(const Launch& launch, const std::string& attempt_folder) {
  std::map<std::string, std::string> values;
  for (char** own = environ; own != nullptr && *own != nullptr; ++own) {
    const std::string_view word = *own;
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos ||
        std::ranges::find(kOfTheService, word.substr(0, equals)) != kOfTheService.end())
      continue;
    values[std::string(word.substr(0, equals))] = word.substr(equals + 1);
  }
  for (const auto& [name, value] : launch.environment) values[name] = value;
  values[std::string(kTaskVariable)] = attempt_name({launch.task, launch.attempt});
  values[std::string(kFolderVariable)] = attempt_folder;
  std::vector<std::string> all;
  for (const auto& [name, value] : values) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

}  // namespace sonde::dispatch
