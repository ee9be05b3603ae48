#include "inject/pages.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sonde::inject {
namespace {

std::byte* map(size_t bytes, int flags, int file) noexcept {
  // syscall() reads whole words, and this one from the stack: of an int there half a word would be anything.
  constexpr off_t kFromTheBeginning = 0;
  const long at = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, kFromTheBeginning);
  return at == -1 ? nullptr : reinterpret_cast<std::byte*>(at);
}

}  // namespace

std::byte* take_pages(size_t bytes) noexcept { return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1); }

std::byte* map_shared(int file, size_t bytes) noexcept { return map(bytes, MAP_SHARED, file); }

void give_pages_back(void* pages, size_t bytes) noexcept {
  if (pages != nullptr) syscall(SYS_munmap, pages, bytes);
}

}  // namespace sonde::inject
