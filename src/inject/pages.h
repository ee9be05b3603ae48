#pragma once

#include <cstddef>

/// Memory straight from the kernel: neither the program's allocator nor a mmap() that somebody put in front of the C
/// library's is called. Safe in signal handlers.
namespace sonde::inject {

/// Zeroed pages of this process; null where there are none.
[[nodiscard]] std::byte* take_pages(size_t bytes) noexcept;

/// A file's first bytes, shared with all who map them; null where that fails.
[[nodiscard]] std::byte* map_shared(int file, size_t bytes) noexcept;

/// Of either sort. Null is allowed.
void give_pages_back(void* pages, size_t bytes) noexcept;

/// `count` zeroed values, in pages of their own; null where there are none.
template <typename T>
[[nodiscard]] T* new_array(size_t count) noexcept {
  return reinterpret_cast<T*>(take_pages(count == 0 ? 1 : count * sizeof(T)));
}

}  // namespace sonde::inject
