#include "record/session/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/system/system_reason.h"

namespace sonde::record {
namespace {

constexpr std::string_view kEnding = ".sock";
constexpr mode_t kOnlyOwner = 0700;

std::string folder_path() {
  const char* runtime = getenv("XDG_RUNTIME_DIR");  // NOLINT(concurrency-mt-unsafe): nothing changes the environment.
  if (runtime != nullptr && *runtime == '/') return fmt::format("{}/sonde", runtime);
  return fmt::format("/tmp/sonde-{}", geteuid());
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

}  // namespace

Result<std::string> session_folder() {
  std::string path = folder_path();
  if (mkdir(path.c_str(), kOnlyOwner) != 0 && errno != EEXIST) {
    return fail("no directory for sessions: cannot create {}: {}", path, system_reason(errno));
  }
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return fail("no directory for sessions: {}: {}", path, system_reason(errno));
  constexpr mode_t kOfOthers = 077;
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || (found.st_mode & kOfOthers) != 0) {
    return fail("no directory for sessions: other users can access {}; remove it, or set XDG_RUNTIME_DIR", path);
  }
  return path;
}

Descriptor lock_folder(const std::string& folder) {
  Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file) flock(file.get(), LOCK_EX);
  return file;
}

std::string socket_path(const std::string& folder, const std::string& name) {
  return fmt::format("{}/{}{}", folder, name, kEnding);
}

Status check_session_name(const std::string& name) {
  constexpr size_t kMost = 64;
  const bool letter = !name.empty() && ((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z'));
  if (letter && name.size() <= kMost && std::ranges::all_of(name, is_name_character)) return {};
  return fail(
      "'{}' is not a valid session name; use a letter followed by letters, digits, '-', '_' or '.', at most {} "
      "characters",
      name, kMost);
}

Descriptor connect_session(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Descriptor();
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Descriptor file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!file) return file;
  if (connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
  if (errno == ECONNREFUSED) unlink(path.c_str());
  return Descriptor();
}

std::vector<std::string> session_names(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::string name = entry.path().filename().string();
    if (!name.ends_with(kEnding)) continue;
    name.resize(name.size() - kEnding.size());
    if (check_session_name(name)) names.push_back(std::move(name));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace sonde::record
