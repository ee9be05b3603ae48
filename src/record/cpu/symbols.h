#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct Elf;

namespace sonde::record {

/// The functions of an ELF file by address: of its symbol table, of the separate file with debugging information that
/// its build id names, or else those that it exports.
class Symbols {
 public:
  /// `elf` must outlive nothing: names are copied.
  [[nodiscard]] static Symbols of(Elf* elf, std::string_view build_id);

  /// The mangled name of the function that holds an address; empty where none does.
  [[nodiscard]] std::string_view at(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t address;
    uint64_t bytes;  ///< 0: to the next
    uint32_t name;   ///< place in names_
    bool global;
  };

  void read(Elf* elf, uint32_t section_type);
  void sort();

  std::vector<Symbol> symbols_;
  std::string names_;  ///< each with a zero behind it
};

}  // namespace sonde::record
