#include "cli/serve/state_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/files/small_file.h"
#include "base/system/system_reason.h"
#include "base/system/user_state.h"

namespace sonde::serve {
Result<std::string> state_folder(const config::History& options) {
  std::string folder = options.path.empty() ? user_state_folder() : options.path;
  if (folder.empty()) return fail("no folder for history and incidents; set sonde.history.path or HOME");
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    sync_folder(std::filesystem::path(folder).parent_path().string());
  }
  if (error || access(folder.c_str(), W_OK | X_OK) != 0) {
    return fail(
        "{} stores history and incidents, and this user cannot write to it; change its owner, or set "
        "sonde.history.path",
        folder);
  }
  return folder;
}

StateLock::~StateLock() {
  if (file_ >= 0) close(file_);
}

Status StateLock::take(const std::string& folder) {
  const std::string path = folder + "/lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);  // NOLINT(cppcoreguidelines-pro-type-vararg): POSIX
  if (file_ < 0) return fail("cannot write {}: {}", path, system_reason(errno));
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return {};
  return fail(
      "another `sonde serve` uses {} (`fuser {}` shows its process); stop it, or set sonde.history.path to another "
      "folder",
      folder, path);
}

}  // namespace sonde::serve
