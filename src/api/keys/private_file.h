#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde::api {

/// A lock that programs of this host hold on a file, by PATH.lock beside it (of the file that a link
/// names), which stays there. Waits for others.
class FileLock {
 public:
  [[nodiscard]] static Result<FileLock> of(const std::string& path);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

/// Writes the file whole and gives it its name when it is on disk. A new one is readable by its owner alone; one that
/// is there keeps owner and access (a service may read it as a group).
[[nodiscard]] Status write_private_file(const std::string& path, std::string_view text);

/// The whole file; `max_bytes` at most, a larger one is an error.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, size_t max_bytes);

}  // namespace sonde::api
