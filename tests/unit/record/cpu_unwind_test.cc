#include <dwarf.h>

#include <array>
#include <cerrno>
#include <vector>

#include <gtest/gtest.h>

#include "record/cpu/dwarf_expression.h"
#include "record/cpu/perf_event.h"

namespace sonde::record {
namespace cpu_unwind_test {

Registers with_stack_pointer(uint64_t at) {
  Registers registers;
  registers.set(kStackRegister, at);
  return registers;
}

const std::array<uint64_t, 4> kStack = {11, 22, 33, 44};
StackCopy stack_at(uint64_t from) { return StackCopy(std::as_bytes(std::span(kStack)), from); }

Dwarf_Op op(uint8_t atom, uint64_t number = 0, uint64_t number2 = 0) { return {atom, number, number2, 0}; }

TEST(DwarfExpression, AFramesAddressAndThePlaceOfARegister) {
  const Registers registers = with_stack_pointer(0x1000);
  const std::array frame = {op(DW_OP_bregx, kStackRegister, 16)};
  const auto address = evaluate(frame, registers, stack_at(0x1000), {});
  ASSERT_TRUE(address);
  EXPECT_EQ(address->value, 0x1010U);
  const std::array place = {op(DW_OP_call_frame_cfa), op(DW_OP_plus_uconst, static_cast<uint64_t>(-8))};
  const auto saved = evaluate(place, registers, stack_at(0x1000), address->value);
  ASSERT_TRUE(saved);
  EXPECT_FALSE(saved->is_value);
  EXPECT_EQ(stack_at(0x1000).word(saved->value), 22U);
}

/// As linkers describe their PLT: sp + 8 + ((ip & 15) >= 11) * 8.
TEST(DwarfExpression, ThePltsRule) {
  Registers registers = with_stack_pointer(0x1000);
  const std::array plt = {op(DW_OP_breg0 + 7, 8), op(DW_OP_breg0 + 16, 0), op(DW_OP_lit0 + 15),
                          op(DW_OP_and),          op(DW_OP_lit0 + 11),     op(DW_OP_ge),
                          op(DW_OP_lit0 + 3),     op(DW_OP_shl),           op(DW_OP_plus)};
  registers.set(kReturnRegister, 0x40100B);
  EXPECT_EQ(evaluate(plt, registers, stack_at(0x1000), {})->value, 0x1010U);
  registers.set(kReturnRegister, 0x401006);
  EXPECT_EQ(evaluate(plt, registers, stack_at(0x1000), {})->value, 0x1008U);
}

TEST(DwarfExpression, WhatIsNotThereGivesNothing) {
  const Registers registers = with_stack_pointer(0x1000);
  const auto nothing = [&](std::vector<Dwarf_Op> operations) {
    return !evaluate(operations, registers, stack_at(0x1000), {});
  };
  EXPECT_TRUE(nothing({}));
  EXPECT_TRUE(nothing({op(DW_OP_breg0 + 3, 0)}));                       // a register that is not known
  EXPECT_TRUE(nothing({op(DW_OP_breg0 + 31, 0)}));                      // one that there is not
  EXPECT_TRUE(nothing({op(DW_OP_plus)}));                               // nothing to add
  EXPECT_TRUE(nothing({op(DW_OP_call_frame_cfa)}));                     // the frame's address within its own rule
  EXPECT_TRUE(nothing({op(DW_OP_breg0 + 7, 32), op(DW_OP_deref)}));     // above the copied stack
  EXPECT_TRUE(nothing({op(DW_OP_breg0 + 7, ~0ULL), op(DW_OP_deref)}));  // below
  EXPECT_TRUE(nothing({op(DW_OP_call2)}));                              // an operation of no unwind table
  EXPECT_TRUE(nothing(std::vector<Dwarf_Op>(100, op(DW_OP_lit0))));     // deeper than any expression
}

/// A system that answers as it is told to, one answer a call.
class FakeKernel {
 public:
  explicit FakeKernel(std::vector<int> answers) : answers_(std::move(answers)) {}

  [[nodiscard]] PerfEventOpen open() {
    return [this](perf_event_attr& attributes, pid_t, int) {
      asked.push_back(attributes);
      const int answer = asked.size() <= answers_.size() ? answers_[asked.size() - 1] : answers_.back();
      errno = answer;
      return answer == 0 ? kNoDescriptor : -1;
    };
  }

  std::vector<perf_event_attr> asked;

 private:
  static constexpr int kNoDescriptor = 1'000'000;  ///< never closed: nothing fails after it
  std::vector<int> answers_;
};

const CpuOptions kSampling = {.sample = CpuScope::process_tree, .switches = CpuScope::process_tree};

TEST(PerfEvents, WithoutCountersOrTheKernelsPermissionLessIsAskedFor) {
  FakeKernel kernel({ENOENT, EACCES, 0});
  const auto opened = open_perf_events(kSampling, 1, kernel.open());
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->kernel);
  EXPECT_FALSE(opened->cycles);
  EXPECT_EQ(kernel.asked[0].type, static_cast<uint32_t>(PERF_TYPE_HARDWARE));
  EXPECT_EQ(kernel.asked[2].config, static_cast<uint64_t>(PERF_COUNT_SW_CPU_CLOCK));
  EXPECT_EQ(kernel.asked[2].exclude_kernel, 1U);
  EXPECT_EQ(kernel.asked[2].enable_on_exec, 1U);
}

TEST(PerfEvents, AnOldKernelTellsNoBuildIds) {
  FakeKernel kernel({EINVAL, EINVAL, 0});
  ASSERT_TRUE(open_perf_events(kSampling, 1, kernel.open()));
  EXPECT_EQ(kernel.asked[1].build_id, 1U);
  EXPECT_EQ(kernel.asked[2].build_id, 0U);
}

TEST(PerfEvents, WhatIsNotPermittedIsSaidWithWhatHelps) {
  for (const int error : {EACCES, EPERM, ENOSYS}) {
    FakeKernel kernel({error});
    const auto opened = open_perf_events(kSampling, 1, kernel.open());
    ASSERT_FALSE(opened);
    EXPECT_NE(opened.error().message.find("perf_event"), std::string::npos) << opened.error().message;
    EXPECT_NE(opened.error().message.find("permits it"), std::string::npos) << opened.error().message;
  }
  FakeKernel kernel({EMFILE});
  EXPECT_EQ(open_perf_events(kSampling, 1, kernel.open()).error().message,
            "perf_event_open failed: Too many open files");
}

}  // namespace cpu_unwind_test
}  // namespace sonde::record
