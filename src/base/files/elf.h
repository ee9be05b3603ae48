#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sonde {

/// An ELF64 file in memory (https://refspecs.linuxfoundation.org/elf/elf.pdf), as far as reading line tables needs it.
/// Nothing in it is trusted: what lies outside the bytes is absent.
class ElfFile {
 public:
  struct Section {
    std::string_view name;
    uint32_t type = 0;
    uint32_t link = 0;
    uint32_t info = 0;
    std::string_view bytes;  ///< empty where the section has none in the file
  };
  struct Symbol {
    std::string_view name;
    uint8_t type = 0;  ///< 2 is a function, 3 a section
    uint16_t section = 0;
    uint64_t value = 0;
    uint64_t size = 0;
  };
  /// A place in a section that the linker fills with the address of a symbol.
  struct Relocation {
    uint64_t offset = 0;
    uint32_t symbol = 0;
    std::optional<uint64_t> addend;  ///< absent where it is in the place itself
  };

  /// Absent when the bytes are no little-endian ELF64 file.
  [[nodiscard]] static std::optional<ElfFile> open(std::string_view bytes);

  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  /// The first section of that name.
  [[nodiscard]] const Section* section(std::string_view name) const;
  [[nodiscard]] const std::vector<Symbol>& symbols() const { return symbols_; }
  /// The relocations of a section, in the order of the file.
  [[nodiscard]] std::vector<Relocation> relocations(const Section& of) const;

 private:
  void read_sections(std::string_view bytes);
  void read_symbols();
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
};

}  // namespace sonde
