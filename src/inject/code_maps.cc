#include "inject/code_maps.h"

#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "inject/pages.h"
#include "inject/text_record.h"
#include "inject/turn.h"
#include "wire/fnv.h"

namespace sonde::inject {
namespace {

/// A mapping that was reported: where it begins, and a hash of all that /proc says of it.
struct ReportedMapping {
  uint64_t begin;
  uint64_t hash;
};

/// More than PyTorch with all of CUDA's libraries has; those behind are reported each time again.
constexpr uint32_t kMaxReported = 4096;

struct ReportedMappings {
  ReportedMapping* items = nullptr;  ///< in the order of addresses
  uint32_t count = 0;
};

constinit ReportedMappings reported;
constinit ReportedMappings fresh;  ///< to take its place
constinit int64_t next_try = 0;    ///< not before, once there was no room for a mapping
constinit std::atomic<bool> reporting{false};
constinit std::atomic<uint64_t> reported_changes{0};  ///< of the loader, when all was reported; 0: it was never

/// What the loader has loaded and unloaded so far: it grows with each.
uint64_t loader_changes() noexcept {
  uint64_t changes = 0;
  const auto read = [](dl_phdr_info* info, size_t, void* sum) {
    *static_cast<uint64_t*>(sum) = info->dlpi_adds + info->dlpi_subs;
    return 1;
  };
  static_cast<void>(dl_iterate_phdr(read, &changes));
  return changes;
}

/// The lines of /proc/self/maps. The C library's open() and read() may be this library's own, which record.
class MapLines {
 public:
  MapLines() noexcept
      : file_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC))) {}
  MapLines(const MapLines&) = delete;
  MapLines& operator=(const MapLines&) = delete;
  ~MapLines() {
    if (file_ >= 0) syscall(SYS_close, file_);
  }

  /// Without its end; null behind the last one. It stands until the next is asked for.
  [[nodiscard]] const char* next() noexcept {
    char* end = find_end();
    while (end == nullptr && fill()) end = find_end();
    if (end == nullptr) return nullptr;
    *end = '\0';
    const char* const line = buffer + begin_;
    begin_ = static_cast<size_t>(end - buffer) + 1;
    return line;
  }

 private:
  [[nodiscard]] char* find_end() const noexcept {
    return static_cast<char*>(memchr(buffer + begin_, '\n', end_ - begin_));
  }

  [[nodiscard]] bool fill() noexcept {
    memmove(buffer, buffer + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    const long bytes = file_ < 0 ? 0 : syscall(SYS_read, file_, buffer + end_, sizeof buffer - end_);
    if (bytes <= 0) return false;
    end_ += static_cast<size_t>(bytes);
    return true;
  }

  static char buffer[16384];  ///< longer than any line: paths have 4096 bytes

  int file_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

constinit char MapLines::buffer[16384] = {};

uint64_t take_number(const char*& at, uint32_t base) noexcept {
  constexpr uint32_t kTen = 10;
  uint64_t number = 0;
  for (;; ++at) {
    uint32_t digit = base;
    if (*at >= '0' && *at <= '9') digit = static_cast<uint32_t>(*at - '0');
    if (*at >= 'a' && *at <= 'f') digit = static_cast<uint32_t>(*at - 'a') + kTen;
    if (digit >= base) return number;
    number = number * base + digit;
  }
}

void skip_field(const char*& at) noexcept {
  while (*at != '\0' && *at != ' ') ++at;
  while (*at == ' ') ++at;
}

/// Of a line as "7f00-7f10 r-xp 00000000 08:01 1234  /usr/lib/x.so". False where it is no code of a file.
bool read_line(const char* line, wire::CodeMappingBody& mapping, const char*& path) noexcept {
  constexpr uint32_t kHexadecimal = 16;
  constexpr uint32_t kDecimal = 10;
  const char* at = line;
  mapping.begin = take_number(at, kHexadecimal);
  if (*at != '-') return false;
  mapping.end = take_number(++at, kHexadecimal);
  skip_field(at);
  const bool is_code = at[0] != '\0' && at[1] != '\0' && at[2] == 'x';
  skip_field(at);
  mapping.offset = take_number(at, kHexadecimal);
  skip_field(at);
  skip_field(at);
  mapping.inode = take_number(at, kDecimal);
  skip_field(at);
  path = at;
  return is_code && *path != '\0' && mapping.begin < mapping.end;
}

bool take_lists() noexcept {
  for (ReportedMappings* list : {&reported, &fresh}) {
    if (list->items == nullptr) list->items = new_array<ReportedMapping>(kMaxReported);
  }
  return reported.items != nullptr && fresh.items != nullptr;
}

/// Whether it is in the list from `place` on; both come in the order of addresses.
bool is_reported(const ReportedMapping& mapping, uint32_t& place) noexcept {
  while (place < reported.count && reported.items[place].begin < mapping.begin) ++place;
  return place < reported.count && reported.items[place].begin == mapping.begin &&
         reported.items[place].hash == mapping.hash;
}

/// Up to the first that finds no room; false then, with those that were reported in `fresh`.
bool report_new_mappings() noexcept {
  const int64_t time = now_ns();  // what exists now exists later, until reported otherwise
  MapLines lines;
  uint32_t place = 0;
  fresh.count = 0;
  for (const char* line = lines.next(); line != nullptr; line = lines.next()) {
    wire::CodeMappingBody mapping{};
    const char* path = nullptr;
    if (!read_line(line, mapping, path)) continue;
    const ReportedMapping item{mapping.begin, wire::fnv(line)};
    if (!is_reported(item, place) &&
        !write_with_text({wire::Kind::code_mapping, 0, 0, 0, time}, mapping, text_of(path))) {
      return false;
    }
    if (fresh.count < kMaxReported) fresh.items[fresh.count++] = item;
  }
  return true;
}

}  // namespace

void report_code() noexcept {
  if (loader_changes() == reported_changes.load(std::memory_order_acquire)) return;
  const Turn turn(reporting);
  const uint64_t changes = loader_changes();
  if (!turn.held() || changes == reported_changes.load(std::memory_order_relaxed) || !take_lists()) return;
  if (now_ns() < next_try) return;
  const bool all = report_new_mappings();
  const ReportedMappings before = reported;
  reported = fresh;
  fresh = before;
  constexpr int64_t kPauseNs = 1'000'000'000;
  // A full memory, or a recorder that is gone, must not cost each call a look at the maps.
  if (!all) next_try = now_ns() + kPauseNs;
  if (all) reported_changes.store(changes, std::memory_order_release);
}

}  // namespace sonde::inject
