#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>
#include <string>

/// The limit on the size of files (RLIMIT_FSIZE, `ulimit -f`), which holds for memory of memfd_create() too.
namespace sonde::record {

/// While it lives, what this thread writes beyond the limit is an error (EFBIG), and no signal ends this process.
class FileLimitGuard {
 public:
  FileLimitGuard();
  FileLimitGuard(const FileLimitGuard&) = delete;
  FileLimitGuard& operator=(const FileLimitGuard&) = delete;
  ~FileLimitGuard();

 private:
  sigset_t before_{};
};

/// While it lives, files of this process may be so large, where it may raise its limit that far. From one thread only:
/// a program that starts meanwhile would have the limit too.
class RaisedFileLimit {
 public:
  explicit RaisedFileLimit(uint64_t bytes);
  RaisedFileLimit(const RaisedFileLimit&) = delete;
  RaisedFileLimit& operator=(const RaisedFileLimit&) = delete;
  ~RaisedFileLimit();

 private:
  rlimit before_{};
  bool raised_ = false;
};

/// "; files may have no more than 100 KB here ...", where there is a limit: SQLite does not tell why it failed.
[[nodiscard]] std::string file_limit_note();

/// Why a file could not be written; for EFBIG with the limit and who lifts it.
[[nodiscard]] std::string file_reason(int error);

}  // namespace sonde::record
