#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace sonde {

/// Whether threads begin with this function: the program's entry, the C library's starter of threads, and the loader's
/// own work before, by glibc's names, and Linux' own starter. A call chain that ends with it is whole.
[[nodiscard]] constexpr bool is_thread_start(std::string_view function) {
  constexpr auto kStarts = std::to_array<std::string_view>({"_start", "__libc_start_main", "__libc_start_call_main",
                                                            "clone", "clone3", "__clone", "__clone3", "start_thread",
                                                            "_dl_start_user", "_dl_start", "__libc_start_main_impl",
                                                            "__start_context", "ret_from_fork", "ret_from_fork_asm"});
  return std::ranges::find(kStarts, function) != kStarts.end();
}

}  // namespace sonde
