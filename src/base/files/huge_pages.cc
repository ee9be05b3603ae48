#include "base/files/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace sonde {

void prefer_huge_pages(void* memory, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  constexpr size_t kWorthIt = 2 << 20;
  if (bytes < kWorthIt) return;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const uintptr_t end = (begin + bytes) / kPage * kPage;
  // An advice: a system that does not know it changes nothing.
  static_cast<void>(
      madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace sonde
