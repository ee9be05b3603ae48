#pragma once

#include "inject/pc_sampling/pc_sampling.h"

/// The source lines of the code that the program loads: of each ELF file the sections that say which line an
/// instruction comes from, kept until samples lie in it. Code without lines, as most libraries' is, is not kept.
namespace sonde::inject::pc_sampling {

/// When a module is loaded, on the thread that loads it. The bytes are CUPTI's, and gone afterwards.
void keep_code(const Functions& functions, const char* cubin, size_t bytes) noexcept;

/// Tells the recorder of the code of this checksum, once.
void report_code_of(uint64_t crc) noexcept;

/// The same where CUPTI gives only the lower half of its checksum. Gives the whole one where such code is kept, else
/// what it was given.
[[nodiscard]] uint64_t report_code_of_half(uint32_t crc) noexcept;

}  // namespace sonde::inject::pc_sampling
