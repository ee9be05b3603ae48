#include "base/system/user_state.h"

#include <cstdlib>

namespace sonde {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return value == nullptr ? "" : value;
}

}  // namespace

std::string user_state_folder() {
  // systemd gives several folders separated by colons; the first is ours.
  if (const std::string given = variable("STATE_DIRECTORY"); !given.empty()) return given.substr(0, given.find(':'));
  if (const std::string given = variable("XDG_STATE_HOME"); !given.empty()) return given + "/sonde";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.local/state/sonde";
}

}  // namespace sonde
