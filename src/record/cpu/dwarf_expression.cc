#include "record/cpu/dwarf_expression.h"

#include <dwarf.h>

#include <cstring>

namespace sonde::record {
namespace {

class Machine {
 public:
  Machine(const Registers& registers, const StackCopy& stack, std::optional<uint64_t> frame_address)
      : registers_(registers), stack_(stack), frame_address_(frame_address) {}

  [[nodiscard]] std::optional<ExpressionResult> run(std::span<const Dwarf_Op> operations) {
    for (const Dwarf_Op& operation : operations) {
      if (!step(operation)) return {};
    }
    if (depth_ == 0) return {};
    return ExpressionResult{values_[depth_ - 1], is_value_};
  }

 private:
  bool step(const Dwarf_Op& o) {
    if (o.atom >= DW_OP_lit0 && o.atom <= DW_OP_lit31) return push(o.atom - DW_OP_lit0);
    if (o.atom >= DW_OP_breg0 && o.atom <= DW_OP_breg31) return push_register(o.atom - DW_OP_breg0, o.number);
    if (o.atom >= DW_OP_reg0 && o.atom <= DW_OP_reg31) return take_register(o.atom - DW_OP_reg0);
    switch (o.atom) {
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts: return push(o.number);
      case DW_OP_bregx: return push_register(o.number, o.number2);
      case DW_OP_regx: return take_register(o.number);
      case DW_OP_call_frame_cfa: return frame_address_ && push(*frame_address_);
      case DW_OP_dup: return depth_ > 0 && push(values_[depth_ - 1]);
      case DW_OP_over: return depth_ > 1 && push(values_[depth_ - 2]);
      case DW_OP_drop: return depth_ > 0 && depth_-- > 0;
      case DW_OP_deref: return deref();
      case DW_OP_plus_uconst: return change([&](uint64_t a) { return a + o.number; });
      case DW_OP_neg: return change([](uint64_t a) { return -a; });
      case DW_OP_not: return change([](uint64_t a) { return ~a; });
      case DW_OP_stack_value: is_value_ = true; return true;
      case DW_OP_nop: return true;
      default: return combine(o.atom);
    }
  }

  bool combine(uint8_t atom) {
    if (depth_ < 2) return false;
    const uint64_t b = values_[--depth_];
    uint64_t& a = values_[depth_ - 1];
    const auto left = static_cast<int64_t>(a);
    const auto right = static_cast<int64_t>(b);
    constexpr uint64_t kBits = 64;
    switch (atom) {
      case DW_OP_and: a &= b; return true;
      case DW_OP_or: a |= b; return true;
      case DW_OP_xor: a ^= b; return true;
      case DW_OP_plus: a += b; return true;
      case DW_OP_minus: a -= b; return true;
      case DW_OP_mul: a *= b; return true;
      case DW_OP_shl: a = b < kBits ? a << b : 0; return true;
      case DW_OP_shr: a = b < kBits ? a >> b : 0; return true;
      case DW_OP_eq: a = left == right ? 1 : 0; return true;
      case DW_OP_ne: a = left != right ? 1 : 0; return true;
      case DW_OP_ge: a = left >= right ? 1 : 0; return true;
      case DW_OP_gt: a = left > right ? 1 : 0; return true;
      case DW_OP_le: a = left <= right ? 1 : 0; return true;
      case DW_OP_lt: a = left < right ? 1 : 0; return true;
      default: return false;
    }
  }

  bool push(uint64_t value) {
    if (depth_ == values_.size()) return false;
    values_[depth_++] = value;
    return true;
  }

  bool push_register(uint64_t number, uint64_t offset) {
    return number < kDwarfRegisters && registers_.has(number) && push(registers_.value[number] + offset);
  }

  bool take_register(uint64_t number) {
    is_value_ = true;
    return push_register(number, 0);
  }

  bool deref() {
    if (depth_ == 0) return false;
    const auto word = stack_.word(values_[depth_ - 1]);
    if (word) values_[depth_ - 1] = *word;
    return word.has_value();
  }

  template <typename F>
  bool change(F f) {
    if (depth_ == 0) return false;
    values_[depth_ - 1] = f(values_[depth_ - 1]);
    return true;
  }

  const Registers& registers_;
  const StackCopy& stack_;
  std::optional<uint64_t> frame_address_;
  std::array<uint64_t, 16> values_{};
  size_t depth_ = 0;
  bool is_value_ = false;
};

}  // namespace

std::optional<uint64_t> StackCopy::word(uint64_t address) const {
  const uint64_t at = address - from_;
  if (address < from_ || at > bytes_.size() || bytes_.size() - at < sizeof(uint64_t)) return {};
  uint64_t word = 0;
  std::memcpy(&word, bytes_.data() + at, sizeof word);
  return word;
}

std::optional<ExpressionResult> evaluate(std::span<const Dwarf_Op> operations, const Registers& registers,
                                         const StackCopy& stack, std::optional<uint64_t> frame_address) {
  return Machine(registers, stack, frame_address).run(operations);
}

}  // namespace sonde::record
