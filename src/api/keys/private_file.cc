#include "api/keys/private_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/files/small_file.h"
#include "base/system/system_reason.h"

namespace sonde::api {
namespace {

constexpr mode_t kOwnerOnly = 0600;
constexpr mode_t kAccess = 0777;

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// Owner and access of the file that is replaced. A user who may not give files away keeps it as their own.
bool take_access(int descriptor, const std::string& path) {
  struct stat before{};
  if (stat(path.c_str(), &before) != 0) return fchmod(descriptor, kOwnerOnly) == 0;
  if (before.st_uid != geteuid() || before.st_gid != getegid()) {
    if (fchown(descriptor, before.st_uid, before.st_gid) != 0 && errno != EPERM) return false;
  }
  return fchmod(descriptor, before.st_mode & kAccess) == 0;
}

bool written(int descriptor, const std::string& path, std::string_view text) {
  return take_access(descriptor, path) && write_all(descriptor, text) && fsync(descriptor) == 0;
}

/// The file that a link names, so that the link stays one.
std::string real_path(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

Result<FileLock> FileLock::of(const std::string& path) {
  const std::string name = real_path(path) + ".lock";
  const int descriptor = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly);
  if (descriptor < 0) return fail("cannot write {}, which locks {}: {}", name, path, system_reason(errno));
  FileLock lock(descriptor);
  while (flock(descriptor, LOCK_EX) != 0) {
    if (errno != EINTR) return fail("cannot lock {}: {}", name, system_reason(errno));
  }
  return lock;
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

Status write_private_file(const std::string& path, std::string_view text) {
  const std::string target = real_path(path);
  std::string temporary = target + ".part-XXXXXX";
  const int descriptor = mkstemp(temporary.data());
  if (descriptor < 0) return fail("cannot write {}: {}", path, system_reason(errno));
  const bool good = written(descriptor, target, text);
  const std::string why = good ? std::string() : system_reason(errno);
  close(descriptor);
  if (good && std::rename(temporary.c_str(), target.c_str()) == 0) {
    sync_folder(std::filesystem::path(target).parent_path().string());  // a key that was revoked stays so
    return {};
  }
  const std::string last = good ? system_reason(errno) : why;
  unlink(temporary.c_str());
  return fail("cannot write {}: {}", path, last);
}

Result<std::string> read_small_file(const std::string& path, size_t max_bytes) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail("{}", system_reason(errno));
  std::string text(max_bytes + 1, '\0');
  size_t size = 0;
  ssize_t got = 0;
  while (size < text.size() && (got = read(descriptor, text.data() + size, text.size() - size)) > 0) {
    size += static_cast<size_t>(got);
  }
  const std::string why = got < 0 ? system_reason(errno) : std::string();
  close(descriptor);
  if (!why.empty()) return fail("{}", why);
  if (size > max_bytes) return fail("it is larger than {} bytes", max_bytes);
  text.resize(size);
  return text;
}

}  // namespace sonde::api
