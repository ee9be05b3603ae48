// A disk whose power can be cut, for a program and its children. The preloaded library logs each change of the files in
// a folder, and each sync, in order. tests/tools/shared/_power_cut.py computes from the log what a cut leaves, and
// describes the log. Environment variables:
//
//   POWER_CUT_FOLDER   the folder, without links in its path
//   POWER_CUT_BOOK     a folder outside of it, with
//     journal          what is booked; who holds its lock keeps all others from changing anything
//     off              while it is there the power is off: who changes or syncs a file is killed
//     error            while it is there, changes fail with the errno that stands in it: ENOSPC those that need room,
//                      EROFS all
//     boot             what the kernel says to be the boot's id
//
// Nothing reaches the disk by a sync, since no power is really cut. Not booked: mapped files, of which there are only
// SQLite's -shm that a new first connection makes again, and copies within the kernel.
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace {

enum class Change : uint32_t { write = 1, truncate, sync, create, create_folder, remove, rename };

/// Before the path and the bytes of each entry.
struct Entry {
  Change change = Change::write;
  uint32_t path_bytes = 0;
  uint32_t text_bytes = 0;
  uint32_t spare = 0;
  uint64_t inode = 0;
  int64_t offset = 0;  ///< or the new size
};

int raw_open(const char* path, int flags, mode_t mode = 0) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

std::string variable(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}
const std::string& folder() {
  static const std::string* const path = new std::string(variable("POWER_CUT_FOLDER"));  // outlives all other objects
  return *path;
}
std::string book(const char* file) { return variable("POWER_CUT_BOOK") + "/" + file; }

bool is_below(std::string_view path) {
  if (folder().empty() || !path.starts_with(folder()) || path.ends_with("-shm")) return false;
  return path.size() == folder().size() || path[folder().size()] == '/';
}

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t count = readlink(path.c_str(), target.data(), target.size());
  return count > 0 ? std::string(target.data(), static_cast<size_t>(count)) : "";
}
std::string path_of(int file) { return link_target("/proc/self/fd/" + std::to_string(file)); }

std::string path_of(int at, const char* name) {
  if (name[0] == '/') return name;
  return (at == AT_FDCWD ? link_target("/proc/self/cwd") : path_of(at)) + "/" + name;
}

/// Alone among all processes; the error with which a change fails.
class Turn {
 public:
  Turn() : journal_(raw_open(book("journal").c_str(), O_WRONLY | O_APPEND)) {
    flock(journal_, LOCK_EX);
    if (access(book("off").c_str(), F_OK) == 0) raise(SIGKILL);
    const int told = raw_open(book("error").c_str(), O_RDONLY);
    if (told < 0) return;
    std::array<char, 16> text{};
    if (read(told, text.data(), text.size() - 1) > 0) error_ = atoi(text.data());
    syscall(SYS_close, told);
  }
  ~Turn() { syscall(SYS_close, journal_); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool fails(bool needs_room) const {
    if (error_ == 0 || (error_ == ENOSPC && !needs_room)) return false;
    errno = error_;
    return true;
  }
  void note(Change change, uint64_t inode, int64_t offset, const std::string& path, std::string_view text = {}) const {
    Entry entry{.change = change,
                .path_bytes = static_cast<uint32_t>(path.size()),
                .text_bytes = static_cast<uint32_t>(text.size()),
                .inode = inode,
                .offset = offset};
    const std::array<iovec, 3> parts{iovec{&entry, sizeof entry}, iovec{const_cast<char*>(path.data()), path.size()},
                                     iovec{const_cast<char*>(text.data()), text.size()}};
    syscall(SYS_writev, journal_, parts.data(), parts.size());
  }

 private:
  int journal_;
  int error_ = 0;
};

/// What is open under a number, where it is of the folder.
struct Opened {
  bool is_ours = false;
  bool is_folder = false;
  uint64_t inode = 0;
  int64_t size = 0;

  explicit Opened(int file) {
    struct stat found{};
    if (folder().empty() || fstat(file, &found) != 0) return;
    if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return;
    is_ours = is_below(path_of(file));
    is_folder = S_ISDIR(found.st_mode);
    inode = found.st_ino;
    size = found.st_size;
  }
};

/// `work` says how much was done, as the system's call does.
template <typename Work>
ssize_t write_with(int file, int64_t offset, std::string_view text, const Work& work) {
  const Opened opened(file);
  if (!opened.is_ours) return work();
  const Turn turn;
  if (turn.fails(true)) return -1;
  if (offset < 0) offset = (fcntl(file, F_GETFL) & O_APPEND) != 0 ? Opened(file).size : lseek(file, 0, SEEK_CUR);
  const ssize_t done = work();
  if (done > 0) turn.note(Change::write, opened.inode, offset, "", text.substr(0, static_cast<size_t>(done)));
  return done;
}

template <typename Work>
int resize_with(int file, int64_t size, bool only_grows, const Work& work) {
  const Opened before(file);
  if (!before.is_ours) return work();
  const Turn turn;
  if (turn.fails(only_grows)) return -1;
  const int done = work();
  if (done == 0 && (!only_grows || size > before.size)) turn.note(Change::truncate, before.inode, size, "");
  return done;
}

template <typename Work>
int rename_with(Change change, const std::string& path, const std::string& other, const Work& work) {
  if (!is_below(path)) return work();
  const Turn turn;
  if (turn.fails(change != Change::remove)) return -1;
  const int done = work();
  if (done == 0) turn.note(change, 0, 0, path, other);
  return done;
}

int open_with(int at, const char* name, int flags, mode_t mode) {
  const auto really = [&](const char* path) { return static_cast<int>(syscall(SYS_openat, at, path, flags, mode)); };
  if (!folder().empty() && strcmp(name, "/proc/sys/kernel/random/boot_id") == 0) return really(book("boot").c_str());
  const bool is_for_writing = (flags & O_ACCMODE) != O_RDONLY;
  const std::string path = is_for_writing ? path_of(at, name) : "";
  if (!is_for_writing || !is_below(path)) return really(name);
  const Turn turn;
  const bool is_there = access(path.c_str(), F_OK) == 0;
  const bool creates = !is_there && (flags & O_CREAT) != 0;
  if (turn.fails(creates)) return -1;
  const int file = really(name);
  if (file < 0) return file;
  const Opened opened(file);
  if (creates) turn.note(Change::create, opened.inode, 0, path);
  if (is_there && (flags & O_TRUNC) != 0) turn.note(Change::truncate, opened.inode, 0, "");
  return file;
}

int sync_with(int file) {
  const Opened opened(file);
  if (!opened.is_ours) return 0;
  const Turn turn;
  turn.note(Change::sync, opened.is_folder ? 0 : opened.inode, 0, path_of(file));
  return 0;
}

mode_t mode_of(int flags, va_list& more) { return (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0; }

/// A keeper gets no environment; this goes with it all the same.
std::vector<char*> with_own(char* const* environment) {
  static std::array<std::string, 3>* const own =
      new std::array<std::string, 3>{"LD_PRELOAD=" + variable("LD_PRELOAD"), "POWER_CUT_FOLDER=" + folder(),
                                     "POWER_CUT_BOOK=" + variable("POWER_CUT_BOOK")};
  std::vector<char*> all;
  for (char* const* each = environment; each != nullptr && *each != nullptr; ++each) all.push_back(*each);
  for (std::string& each : *own) all.push_back(each.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

extern "C" {

int openat(int at, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with(at, name, flags, mode);
}
int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with(AT_FDCWD, name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with(AT_FDCWD, name, flags, mode);
}
int openat64(int at, const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with(at, name, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  return write_with(file, -1, {static_cast<const char*>(bytes), size},
                    [&] { return static_cast<ssize_t>(syscall(SYS_write, file, bytes, size)); });
}
ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return write_with(file, offset, {static_cast<const char*>(bytes), size},
                    [&] { return static_cast<ssize_t>(syscall(SYS_pwrite64, file, bytes, size, offset)); });
}
ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) { return pwrite(file, bytes, size, offset); }
/// Of the first part only, which is a short write as the system may do it.
ssize_t writev(int file, const iovec* parts, int count) {
  if (count == 0 || !Opened(file).is_ours) return syscall(SYS_writev, file, parts, count);
  return write(file, parts->iov_base, parts->iov_len);
}

int ftruncate(int file, off_t size) {
  return resize_with(file, size, false, [&] { return static_cast<int>(syscall(SYS_ftruncate, file, size)); });
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t from, off_t size) {
  return resize_with(file, from + size, true,
                     [&] { return static_cast<int>(syscall(SYS_fallocate, file, mode, from, size)); });
}
int fallocate64(int file, int mode, off64_t from, off64_t size) { return fallocate(file, mode, from, size); }
int posix_fallocate(int file, off_t from, off_t size) { return fallocate(file, 0, from, size) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off64_t from, off64_t size) { return posix_fallocate(file, from, size); }

int fsync(int file) { return sync_with(file); }
int fdatasync(int file) { return sync_with(file); }

int unlinkat(int at, const char* name, int flags) noexcept {
  return rename_with(Change::remove, path_of(at, name), "",
                     [&] { return static_cast<int>(syscall(SYS_unlinkat, at, name, flags)); });
}
int unlink(const char* name) noexcept { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char* name) noexcept { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char* name) noexcept {
  if (unlink(name) == 0) return 0;
  return errno == EISDIR ? rmdir(name) : -1;
}
int renameat2(int at, const char* from, int to_at, const char* to, unsigned flags) noexcept {
  return rename_with(Change::rename, path_of(at, from), path_of(to_at, to),
                     [&] { return static_cast<int>(syscall(SYS_renameat2, at, from, to_at, to, flags)); });
}
int rename(const char* from, const char* to) noexcept { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }
int mkdirat(int at, const char* name, mode_t mode) noexcept {
  return rename_with(Change::create_folder, path_of(at, name), "",
                     [&] { return static_cast<int>(syscall(SYS_mkdirat, at, name, mode)); });
}
int mkdir(const char* name, mode_t mode) noexcept { return mkdirat(AT_FDCWD, name, mode); }

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const words[], char* const environment[]) {
  using Spawn = decltype(&posix_spawn);
  static const auto really = reinterpret_cast<Spawn>(dlsym(RTLD_NEXT, "posix_spawn"));
  const bool has_none = environment == nullptr || *environment == nullptr;
  if (folder().empty() || !has_none) return really(child, path, actions, attributes, words, environment);
  return really(child, path, actions, attributes, words, with_own(environment).data());
}
}
