// What Debian 12's libgcc, libstdc++ and static archives expect of glibc 2.32 to 2.36, for programs that are linked
// with glibc 2.31. Hidden: a newer C library keeps its own.

#include <link.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#define SONDE_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

/// glibc 2.32: whether the process has one thread, so that counters of owners need no atomic operations. Never true
/// here, which is always right.
SONDE_HIDDEN extern const char __libc_single_threaded;
const char __libc_single_threaded = 0;

/// glibc 2.36. libstdc++'s std::random_device calls it.
SONDE_HIDDEN uint32_t arc4random() noexcept {
  uint32_t number = 0;
  ssize_t got = 0;
  do {
    got = getrandom(&number, sizeof number, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof number) abort();  // the caller takes any value for random
  return number;
}

/// As glibc's <dlfcn.h> (2.35 and later) lays it out.
struct dl_find_object {
  uint64_t dlfo_flags;
  void* dlfo_map_start;
  void* dlfo_map_end;
  link_map* dlfo_link_map;
  void* dlfo_eh_frame;  ///< the object's PT_GNU_EH_FRAME segment
  uint64_t reserved[7];
};

}  // extern "C"

namespace {

struct Search {
  uintptr_t address;
  dl_find_object* found;
};

/// Fills in `found` where this loaded object contains the address; 1 ends the iteration.
int look_at(dl_phdr_info* info, size_t /*size*/, void* data) {
  const auto* const search = static_cast<Search*>(data);
  bool holds = false;
  dl_find_object object{};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) object.dlfo_eh_frame = reinterpret_cast<void*>(begin);
    if (segment.p_type != PT_LOAD || search->address - begin >= segment.p_memsz) continue;
    holds = true;
    object.dlfo_map_start = reinterpret_cast<void*>(begin);
    object.dlfo_map_end = reinterpret_cast<void*>(begin + segment.p_memsz);
  }
  if (!holds) return 0;
  *search->found = object;
  return 1;
}

}  // namespace

/// glibc 2.35. libgcc's unwinder calls it for each frame of an exception and reads `dlfo_eh_frame` only. The flags and
/// the link map stay empty.
extern "C" SONDE_HIDDEN int _dl_find_object(void* address, dl_find_object* found) noexcept {
  dl_find_object object{};
  Search search{reinterpret_cast<uintptr_t>(address), &object};
  if (dl_iterate_phdr(look_at, &search) == 0 || object.dlfo_eh_frame == nullptr) return -1;
  *found = object;
  return 0;
}
