#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <elfutils/libdw.h>

#include "record/cpu/frame_rules.h"

namespace sonde::record {

/// Registers of one frame; a bit of `known` for each that has a value.
struct Registers {
  std::array<uint64_t, kDwarfRegisters> value{};
  uint32_t known = 0;

  [[nodiscard]] bool has(size_t number) const { return (known >> number & 1U) != 0; }
  void set(size_t number, uint64_t to) {
    value[number] = to;
    known |= 1U << number;
  }
};

/// The stack of a thread as it was copied: nothing else of its memory is there.
class StackCopy {
 public:
  StackCopy(std::span<const std::byte> bytes, uint64_t from) : bytes_(bytes), from_(from) {}
  [[nodiscard]] std::optional<uint64_t> word(uint64_t address) const;

 private:
  std::span<const std::byte> bytes_;
  uint64_t from_;
};

/// What an expression gives: a value, or (where a rule speaks of a place) the address of one.
struct ExpressionResult {
  uint64_t value;
  bool is_value;  ///< DW_OP_stack_value or a register: no address
};

/// Evaluates what unwind tables hold of DWARF's expressions. Empty where it needs something that is not there, and for
/// operations that no compiler puts into these tables.
[[nodiscard]] std::optional<ExpressionResult> evaluate(std::span<const Dwarf_Op> operations, const Registers& registers,
                                                       const StackCopy& stack, std::optional<uint64_t> frame_address);

}  // namespace sonde::record
