// Any bytes as a profile, beginning from SQLite exports: whatever they are, reading them ends with a trace or with an
// error in a sentence.

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "importers/importer.h"

namespace {

/// A file in memory, under a name that the importers can open.
class MemoryFile {
 public:
  MemoryFile(const uint8_t* data, size_t size) : fd_(memfd_create("profile", MFD_CLOEXEC)) {
    if (fd_ < 0 || write(fd_, data, size) != static_cast<ssize_t>(size)) std::abort();
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const MemoryFile file(data, size);
  const std::array paths = {file.path()};
  const auto trace = sonde::import_run(paths, {.fields = sonde::Fields::all()});
  if (!trace && trace.error().message.empty()) std::abort();
  return 0;
}
