#include "base/files/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/files/descriptor.h"
#include "base/system/system_reason.h"

namespace sonde {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail("cannot open {}: {}", path, system_reason(errno));
  struct stat info{};
  if (fstat(file.get(), &info) != 0) return fail("cannot read {}: {}", path, system_reason(errno));
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) return fail("cannot map {}: {}", path, system_reason(errno));
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): munmap takes void*, and nothing is written.
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

void MappedFile::let_go() const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as above
  if (data_ != nullptr) madvise(const_cast<char*>(data_), size_, MADV_DONTNEED);
}

Result<std::string> read_head(const std::string& path, size_t count) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("cannot open {}: {}", path, system_reason(errno));
  std::string head(count, '\0');
  file.read(head.data(), static_cast<std::streamsize>(count));
  head.resize(static_cast<size_t>(file.gcount()));
  return head;
}

std::string short_path(std::string_view path, size_t parts) {
  size_t at = path.size();
  for (size_t i = 0; i < parts && at != std::string_view::npos && at > 0; ++i) at = path.rfind('/', at - 1);
  if (at == std::string_view::npos || at == 0) return std::string(path);
  return std::string(path.substr(at + 1));
}

}  // namespace sonde
