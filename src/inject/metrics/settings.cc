#include "inject/metrics/settings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "wire/kernel_record.h"

namespace sonde::inject::metrics {
namespace {

constinit Settings read;
constinit bool is_read = false;

/// The file's bytes with a zero behind them, for the life of the process; null where it cannot be read.
char* bytes_of(const char* path) noexcept {
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return nullptr;
  const long bytes = syscall(SYS_lseek, file, 0, SEEK_END);
  auto* const text = bytes <= 0 ? nullptr : static_cast<char*>(malloc(static_cast<size_t>(bytes) + 1));
  const long got = text == nullptr ? -1 : syscall(SYS_pread64, file, text, bytes, 0);
  syscall(SYS_close, file);
  if (got != bytes) {
    free(text);
    return nullptr;
  }
  text[bytes] = '\0';
  return text;
}

bool add_name(const char* name) noexcept {
  constexpr uint32_t kStep = 64;
  if (read.name_count % kStep == 0) {
    auto* const more = static_cast<const char**>(realloc(read.names, (read.name_count + kStep) * sizeof(char*)));
    if (more == nullptr) return false;
    read.names = more;
  }
  read.names[read.name_count++] = name;
  return true;
}

bool set_range(char* value) noexcept {
  char* const at = strchr(value, '@');
  if (at == nullptr) return false;
  *at = '\0';
  read.domain = value;
  read.range = at + 1;
  return true;
}

bool take(const char* key, char* value) noexcept {
  const auto is = [&](const char* name) { return strcmp(key, name) == 0; };
  if (is("metric")) return add_name(value);
  if (is("skip")) read.skip = strtoull(value, nullptr, 10);
  if (is("count")) read.count = strtoull(value, nullptr, 10);
  if (is("each")) read.each = static_cast<uint32_t>(strtoul(value, nullptr, 10));
  if (is("range")) return set_range(value);
  if (is("kernel")) read.has_kernel = regcomp(&read.kernel, value, REG_EXTENDED | REG_NOSUB) == 0;
  return !is("kernel") || read.has_kernel;
}

bool parse(char* text) noexcept {
  while (*text != '\0') {
    char* const end = strchr(text, '\n');
    char* const blank = strchr(text, ' ');
    if (end == nullptr || blank == nullptr || blank > end) return false;
    *end = *blank = '\0';
    if (!take(text, blank + 1)) return false;
    text = end + 1;
  }
  return read.name_count > 0;
}

/// When the library is loaded: what is allocated here could not be in a signal handler that uses NVTX.
__attribute__((constructor)) void read_settings() noexcept {
  const int error = errno;
  const char* const path = getenv(wire::kMeasureVariable);  // NOLINT(concurrency-mt-unsafe): the program has not begun
  char* const text = path == nullptr ? nullptr : bytes_of(path);
  is_read = text != nullptr && parse(text);
  errno = error;
}

}  // namespace

const Settings* settings() noexcept { return is_read ? &read : nullptr; }

}  // namespace sonde::inject::metrics
