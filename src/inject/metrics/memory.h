#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace sonde::inject::metrics {

/// Zeroed memory of whole pages for the life of the process, past the program's own allocator; null where there is
/// none.
template <typename T>
[[nodiscard]] T* new_array(size_t count) noexcept {
  const size_t bytes = count == 0 ? 1 : count * sizeof(T);
  const long at = syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == -1 ? nullptr : reinterpret_cast<T*>(at);
}

}  // namespace sonde::inject::metrics
