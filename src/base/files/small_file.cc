#include "base/files/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "base/files/file.h"
#include "base/system/system_reason.h"

namespace sonde {
namespace {

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, size_t most) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return fail("cannot read {}: {}", path, system_reason(errno));
  if (!S_ISREG(info.st_mode)) return fail("{} is not a regular file", path);
  if (static_cast<size_t>(info.st_size) > most) return fail("{} is larger than {} bytes", path, most);
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  return std::string(file->bytes());
}

Status write_new_file(const std::string& path, std::string_view text) {
  constexpr mode_t kReadable = 0666;  // less what the user's mask takes away
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadable);
  if (file < 0) return fail("cannot write {}: {}", path, system_reason(errno));
  const bool written = write_all(file, text) && fsync(file) == 0;
  const int error = errno;
  const bool closed = close(file) == 0;
  if (!written) return fail("cannot write {}: {}", path, system_reason(error));
  if (!closed) return fail("cannot write {}: {}", path, system_reason(errno));
  return {};
}

Status replace_file(const std::string& path, std::string_view text) {
  const std::string beside = path + unused_name(".new");
  Status written = write_new_file(beside, text);
  if (written && std::rename(beside.c_str(), path.c_str()) != 0) {
    written = fail("cannot replace {}: {}", path, system_reason(errno));
  }
  if (written) {
    sync_folder(path.substr(0, path.rfind('/') + 1));
  } else {
    unlink(beside.c_str());
  }
  return written;
}

void sync_folder(const std::string& path) {
  const int opened = open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  fsync(opened);
  close(opened);
}

std::string unused_name(std::string_view prefix) {
  // The time tells processes of other hosts apart that share a store over a network and have the same number.
  static std::atomic<int> number = 0;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return fmt::format("{}-{}-{:x}-{}", prefix, getpid(), now, number++);
}

}  // namespace sonde
