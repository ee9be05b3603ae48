#include <cstdlib>
#include <new>

#include "base/files/huge_pages.h"

/// The program's own operator new: large blocks come in huge pages where the system has them. Aligned forms stay the
/// library's: nothing large uses them. Not inline, so that valgrind finds both and puts its own in their place.

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
[[gnu::noinline]] void* operator new(size_t bytes) {
  for (;;) {
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory != nullptr) {
      sonde::prefer_huge_pages(memory, bytes);
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t /*bytes*/) noexcept { std::free(memory); }
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
