#include "inject/attachment.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "inject/library_calls.h"
#include "inject/pages.h"
#include "inject/process_rank.h"
#include "inject/thread_chunk.h"

namespace sonde::inject {

constinit Attachment attachment;

void find_namespace() noexcept {
  struct stat of_namespace{};
  const bool known = stat("/proc/self/ns/pid", &of_namespace) == 0;
  attachment.foreign.store(!known || of_namespace.st_ino != attachment.header->pid_namespace,
                           std::memory_order_relaxed);
}

namespace {

/// What the environment says: where the mapping is, and the number that it must have.
struct Place {
  char path[64] = {};
  uint64_t nonce = 0;
};

bool read_place(Place& place) noexcept {
  const char* value = getenv(wire::kMappingVariable);  // NOLINT(concurrency-mt-unsafe): the program has not begun.
  const char* colon = value == nullptr ? nullptr : strrchr(value, ':');
  if (colon == nullptr || static_cast<size_t>(colon - value) >= sizeof place.path) return false;
  memcpy(place.path, value, static_cast<size_t>(colon - value));
  char* end = nullptr;
  place.nonce = strtoull(colon + 1, &end, 16);
  return end != colon + 1 && *end == '\0';
}

/// The calls themselves, not the C library's functions: those of this name are this library's own where OS calls are
/// recorded.
std::byte* map_file(int file) noexcept {
  // Shorter than it should be, touching it would end the program.
  const long bytes = syscall(SYS_lseek, file, 0L, SEEK_END);
  const bool whole = bytes >= static_cast<long>(wire::kMappingBytes);
  std::byte* const mapped = whole ? map_shared(file, wire::kMappingBytes) : nullptr;
  if (mapped != nullptr) syscall(SYS_madvise, mapped, wire::kMappingBytes, MADV_DONTDUMP);
  return mapped;
}

bool is_meant(const wire::Header& header, uint64_t nonce) noexcept {
  return header.magic == wire::kMagic && header.version == wire::kVersion && header.nonce == nonce &&
         header.chunk_bytes == wire::kChunkBytes && header.chunks == wire::kChunks;
}

/// In a child of fork() where the kernel does not do it, as gVisor's. A child of a bare clone() is then taken for its
/// parent.
void wipe_guard() noexcept { attachment.guard->store(0, std::memory_order_relaxed); }

std::atomic<uint64_t>* make_guard() noexcept {
  constexpr size_t kPage = 4096;
  std::byte* const page = take_pages(kPage);
  if (page == nullptr) return nullptr;
  const bool wiped = syscall(SYS_madvise, page, kPage, MADV_WIPEONFORK) == 0;
  if (wiped || pthread_atfork(nullptr, nullptr, wipe_guard) == 0) return reinterpret_cast<std::atomic<uint64_t>*>(page);
  give_pages_back(page, kPage);
  return nullptr;
}

void attach() noexcept {
  Place place;
  if (!read_place(place)) return;
  const auto file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, place.path, O_RDWR | O_CLOEXEC, 0));
  if (file < 0) return;
  static_cast<void>(adopt(file, place.nonce));
  syscall(SYS_close, file);
}

/// Runs when the library is loaded: before the program under LD_PRELOAD, else when NVTX is first used.
__attribute__((constructor)) void on_load() noexcept {
  const int error = errno;
  attach();
  errno = error;
}

}  // namespace

bool make_ready() noexcept {
  if (attachment.guard == nullptr) {
    read_process_rank();
    attachment.guard = make_guard();
  }
  return attachment.guard != nullptr;
}

bool adopt(int file, uint64_t nonce) noexcept {
  std::byte* const mapping = map_file(file);
  if (mapping == nullptr) return false;
  wire::Header* const header = wire::header_of(mapping);
  if (!is_meant(*header, nonce)) {
    give_pages_back(mapping, wire::kMappingBytes);
    return false;
  }
  attachment.mapping = mapping;
  if (!make_ready()) {
    header->refused.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  prepare_threads();
  __atomic_store_n(&attachment.header, header, __ATOMIC_RELEASE);  // last: other threads may run
  count_lost_functions();
  announce();
  return true;
}

}  // namespace sonde::inject
