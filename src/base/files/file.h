#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde {

/// A file mapped for reading. Nothing is ever written through it.
class MappedFile {
 public:
  [[nodiscard]] static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }
  /// What was read so far need not stay in this process's memory; it is read again where it is wanted again.
  void let_go() const;

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_ = nullptr;
  size_t size_ = 0;
};

/// The first bytes of a file, at most `count`.
[[nodiscard]] Result<std::string> read_head(const std::string& path, size_t count);

/// The last `parts` parts of a path: what a report may show of it (privacy).
[[nodiscard]] std::string short_path(std::string_view path, size_t parts = 2);

}  // namespace sonde
