#include "record/cpu/unwinder.h"

#include "record/cpu/dwarf_expression.h"

namespace sonde::record {
namespace {

/// Deeper than what a copied stack of 64 KB holds of ordinary frames, and a record in the spool has room for it.
constexpr size_t kMaxFrames = 1024;

/// Linux's order of kUserRegisters (AX BX CX DX SI DI BP SP IP R8 ...) in DWARF's numbers.
constexpr std::array<uint8_t, kUserRegisterCount> kDwarfNumbers = {0, 3, 2,  1,  4,  5,  6,  7, kReturnRegister,
                                                                   8, 9, 10, 11, 12, 13, 14, 15};

Registers registers_of(const Words& words) {
  Registers registers;
  for (size_t i = 0; i < words.size(); ++i) registers.set(kDwarfNumbers[i], words[i]);
  return registers;
}

/// A register of the caller; empty where it is not known.
std::optional<uint64_t> caller_value(const FrameRules& rules, const RegisterRule& rule, size_t number,
                                     const Registers& registers, const StackCopy& stack, uint64_t frame_address) {
  if (rule.kind == RegisterRule::Kind::undefined) return {};
  if (rule.kind == RegisterRule::Kind::same) {
    return registers.has(number) ? std::optional(registers.value[number]) : std::nullopt;
  }
  const auto operations = std::span(rules.operations).subspan(rule.begin, rule.count);
  const auto result = evaluate(operations, registers, stack, frame_address);
  if (!result) return {};
  return result->is_value ? std::optional(result->value) : stack.word(result->value);
}

}  // namespace

struct Unwinder::Frame {
  Registers registers;
  bool called = false;  ///< its instruction is a return address

  [[nodiscard]] uint64_t instruction() const { return registers.value[kReturnRegister]; }
};

bool Unwinder::unwind(const PerfRecord& sample, std::vector<uint64_t>& chain) {
  chain.clear();
  if (sample.registers.size() == 0) return false;
  Frame frame{registers_of(sample.registers), false};
  const StackCopy stack(sample.stack, frame.registers.value[kStackRegister]);
  Step step = Step::up;
  while (step == Step::up && chain.size() < kMaxFrames) {
    chain.push_back(frame.instruction());
    step = this->step(sample, stack, frame);
  }
  return step == Step::whole;
}

const FrameRules* Unwinder::rules_at(const PerfRecord& sample, uint64_t address) {
  const auto place = spaces_.find(sample.process, sample.time, address);
  if (!place) return nullptr;
  CodeFile& file = files_.at(place->file);
  const auto linked = file.address_of(place->offset);
  return linked ? file.rules(*linked) : nullptr;
}

/// A call may be its function's last instruction: the return address is behind it.
Unwinder::Step Unwinder::step(const PerfRecord& sample, const StackCopy& stack, Frame& frame) {
  const FrameRules* const rules = rules_at(sample, frame.instruction() - (frame.called ? 1U : 0U));
  if (rules != nullptr) return by_rules(*rules, stack, frame);
  const Step step = by_frame_pointer(stack, frame);
  const bool in_code = step == Step::up && spaces_.find(sample.process, sample.time, frame.instruction() - 1);
  return in_code ? step : Step::broken;
}

Unwinder::Step Unwinder::by_rules(const FrameRules& rules, const StackCopy& stack, Frame& frame) {
  const RegisterRule& up = rules.registers[kReturnRegister];
  if (up.kind == RegisterRule::Kind::undefined) return Step::whole;
  const RegisterRule& at = rules.frame_address;
  const auto address =
      evaluate(std::span(rules.operations).subspan(at.begin, at.count), frame.registers, stack, std::nullopt);
  // Every caller's frame lies above; only what a signal interrupted may stand on another stack.
  if (!address || (!rules.signal && address->value <= frame.registers.value[kStackRegister])) return Step::broken;
  Registers caller;
  for (size_t number = 0; number < kDwarfRegisters; ++number) {
    const auto value = caller_value(rules, rules.registers[number], number, frame.registers, stack, address->value);
    if (value) caller.set(number, *value);
  }
  const bool stack_given = rules.signal && caller.has(kStackRegister);
  if (!stack_given) caller.set(kStackRegister, address->value);
  if (!caller.has(kReturnRegister)) return Step::broken;
  if (caller.value[kReturnRegister] == 0) return Step::whole;
  frame = {caller, !rules.signal};
  return Step::up;
}

Unwinder::Step Unwinder::by_frame_pointer(const StackCopy& stack, Frame& frame) {
  if (!frame.registers.has(kFrameRegister)) return Step::broken;
  const uint64_t base = frame.registers.value[kFrameRegister];
  const auto before = stack.word(base);
  const auto back = stack.word(base + sizeof(uint64_t));
  if (!before || !back || *back == 0 || base < frame.registers.value[kStackRegister]) return Step::broken;
  Registers caller;
  caller.set(kFrameRegister, *before);
  caller.set(kStackRegister, base + 2 * sizeof(uint64_t));
  caller.set(kReturnRegister, *back);
  frame = {caller, true};
  return Step::up;
}

}  // namespace sonde::record
