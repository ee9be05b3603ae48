#include "inject/metrics/settings.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "inject/pages.h"
#include "wire/kernel_record.h"

namespace sonde::inject::metrics {

constinit bool measures = false;

namespace {

constinit Settings read;

/// The file's bytes with a zero behind them, for the life of the process; null where it cannot be read.
char* bytes_of(const char* path) noexcept {
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return nullptr;
  const long bytes = syscall(SYS_lseek, file, 0L, SEEK_END);
  auto* const text = bytes <= 0 ? nullptr : new_array<char>(static_cast<size_t>(bytes) + 1);
  const long got = text == nullptr ? -1 : syscall(SYS_pread64, file, text, bytes, 0L);
  syscall(SYS_close, file);
  return got == bytes ? text : nullptr;
}

/// "PLACE FUNCTION", the place in hexadecimal digits, or "*" for any.
bool add_listed(char* value) noexcept {
  char* function = value + 1;
  constexpr int kHexadecimal = 16;
  const bool anywhere = *value == '*';
  const uint64_t place = anywhere ? 0 : strtoull(value, &function, kHexadecimal);
  if (*function != ' ') return false;
  read.listed[read.listed_count++] = {anywhere, place, function + 1};
  return true;
}

bool take(const char* key, char* value) noexcept {
  const auto is = [&](const char* name) { return strcmp(key, name) == 0; };
  if (is("metric")) {
    read.names[read.name_count++] = value;
  } else if (is("skip")) {
    read.skip = strtoull(value, nullptr, 10);
  } else if (is("count")) {
    read.count = strtoull(value, nullptr, 10);
  } else if (is("each")) {
    read.each = static_cast<uint32_t>(strtoul(value, nullptr, 10));
  } else if (is("samples")) {
    read.samples = true;
  } else if (is("instructions")) {
    read.instructions = true;
  } else if (is("period")) {
    read.period = static_cast<uint32_t>(strtoul(value, nullptr, 10));
  } else if (is("kernel")) {
    read.has_kernel = regcomp(&read.kernel, value, REG_EXTENDED | REG_NOSUB) == 0;
    return read.has_kernel;
  } else if (is("listed")) {
    read.is_listed = true;
    return *value == '\0' || add_listed(value);
  } else {
    return read.ranges.take(key, value);
  }
  return true;
}

/// There is room for as many names and listed functions as lines.
bool make_room(const char* text) noexcept {
  size_t lines = 0;
  for (; *text != '\0'; ++text) lines += *text == '\n' ? 1 : 0;
  read.names = new_array<const char*>(lines);
  read.listed = new_array<Settings::Listed>(lines);
  return read.names != nullptr && read.listed != nullptr;
}

bool parse(char* text) noexcept {
  if (!make_room(text)) return false;
  while (*text != '\0') {
    char* const end = strchr(text, '\n');
    char* const blank = strchr(text, ' ');
    if (end == nullptr || blank == nullptr || blank > end) return false;
    *end = *blank = '\0';
    if (!take(text, blank + 1)) return false;
    text = end + 1;
  }
  return read.name_count > 0 || read.samples || read.instructions;
}

/// When the library is loaded: what is allocated here could not be in a signal handler that uses NVTX.
__attribute__((constructor)) void read_settings() noexcept {
  const int error = errno;
  const char* const path = getenv(wire::kMeasureVariable);  // NOLINT(concurrency-mt-unsafe): the program has not begun
  char* const text = path == nullptr ? nullptr : bytes_of(path);
  measures = text != nullptr && parse(text);
  if (measures && read.ranges.has_expressions()) pthread_atfork(nullptr, nullptr, [] { read.ranges.renew(); });
  errno = error;
}

}  // namespace

const Settings* settings() noexcept { return measures ? &read : nullptr; }

}  // namespace sonde::inject::metrics
