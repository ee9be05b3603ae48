#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files/elf.h"

namespace sonde {

/// A stretch of machine code that comes from one source line.
struct CodeLine {
  uint32_t section = 0;  ///< of the ELF file
  uint64_t begin = 0;    ///< bytes from the begin of the section
  uint64_t end = 0;
  uint32_t file = 0;  ///< of LineTable::files
  uint32_t line = 0;
};

struct LineTable {
  std::vector<std::string> files;
  std::vector<CodeLine> lines;  ///< in the order of the file
  size_t unread_units = 0;      ///< of a DWARF version that is not read, or damaged
};

/// The source lines of an ELF file's code: its .debug_line section, DWARF versions 2 to 4 (https://dwarfstd.org,
/// section 6.2), which nvcc writes with -lineinfo. Every function lies in a section of its own that begins at address
/// 0, so only the relocations tell which of them a sequence of lines belongs to; libraries such as libdw drop that.
[[nodiscard]] LineTable read_line_table(const ElfFile& elf);

}  // namespace sonde
