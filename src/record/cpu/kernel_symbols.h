#pragma once

#include <cstdint>
#include <string_view>

namespace sonde::record {

/// The name of the kernel's function that holds an address, as far as the kernel shows its functions: /proc/kallsyms,
/// read once. Empty where it is not known.
[[nodiscard]] std::string_view kernel_symbol(uint64_t address);

}  // namespace sonde::record
