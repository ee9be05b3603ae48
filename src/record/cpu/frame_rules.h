#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <elfutils/libdw.h>
#include <boost/unordered/unordered_flat_map.hpp>

struct Elf;

namespace sonde::record {

/// DWARF's numbers of x86-64's registers: 0 to 15 general ones, 16 the return address.
inline constexpr size_t kDwarfRegisters = 17;
inline constexpr size_t kFrameRegister = 6;
inline constexpr size_t kStackRegister = 7;
inline constexpr size_t kReturnRegister = 16;

/// Where a register's value in the caller is.
struct RegisterRule {
  enum class Kind : uint8_t { undefined, same, expression };
  Kind kind = Kind::undefined;
  uint16_t begin = 0;  ///< of its operations
  uint16_t count = 0;
};

/// How to get from one instruction of a function to its caller.
struct FrameRules {
  std::vector<Dwarf_Op> operations;
  RegisterRule frame_address;
  std::array<RegisterRule, kDwarfRegisters> registers;
  bool signal = false;  ///< the frame of a signal handler's caller: what lies above it was interrupted, not called
};

/// The rules of one ELF file, as its .eh_frame or .debug_frame has them. Reading a rule takes a microsecond or more;
/// samples come from few places, so each is kept once it was read.
class FrameTable {
 public:
  /// Null where the file has none. `elf` must outlive it.
  [[nodiscard]] static std::unique_ptr<FrameTable> of(Elf* elf);

  /// Null where the file does not cover the address.
  [[nodiscard]] const FrameRules* at(uint64_t address);

 private:
  struct DwarfEnd {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
  };
  struct CfiEnd {
    void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
  };

  FrameTable() = default;
  [[nodiscard]] std::unique_ptr<FrameRules> read(uint64_t address) const;

  std::unique_ptr<Dwarf_CFI, CfiEnd> eh_;  ///< as exceptions use it
  std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
  Dwarf_CFI* debug_ = nullptr;  ///< as debuggers use it; belongs to dwarf_
  boost::unordered_flat_map<uint64_t, std::unique_ptr<FrameRules>> known_;
};

}  // namespace sonde::record
