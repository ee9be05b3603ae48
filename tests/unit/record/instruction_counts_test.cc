#include "record/instructions/instruction_counts.h"

#include <cstring>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sonde::record {
namespace instruction_counts_test {

constexpr uint32_t kProcess = 7;

/// Gives the counts a record as the wire's reader gives it, after it has read its bytes. False where it is none.
template <typename Body>
bool add(InstructionCounts& counts, wire::Kind kind, Body body, std::string_view text = {}) {
  std::vector<std::byte> bytes(sizeof(wire::RecordHead) + sizeof body +
                               wire::padded(static_cast<uint32_t>(text.size())));
  const wire::RecordHead head{kind, static_cast<uint16_t>(bytes.size()), 0, 0, 1};
  std::memcpy(bytes.data(), &head, sizeof head);
  if constexpr (requires { body.text_bytes; }) body.text_bytes = static_cast<uint16_t>(text.size());
  std::memcpy(bytes.data() + sizeof head, &body, sizeof body);
  if (!text.empty()) std::memcpy(bytes.data() + sizeof head + sizeof body, text.data(), text.size());
  wire::Reader reader(bytes);
  wire::Record record;
  if (!reader.next(record)) return false;
  counts.add(record, kProcess);
  return true;
}

wire::CountedLaunchBody launch(uint64_t counting, uint64_t kernel, bool is_begin) {
  wire::CountedLaunchBody body{};
  body.counting = counting;
  body.kernel = kernel;
  body.elsewhere = 5;
  body.is_begin = is_begin ? 1 : 0;
  body.is_whole = is_begin ? 0 : 1;
  return body;
}

class InstructionCountsTest : public ::testing::Test {
 protected:
  KernelProfile give(uint64_t kernel) {
    KernelProfile profile;
    profile.mangled_name = trace_.names.intern("hot");
    counts_.give_to(trace_, profile, kProcess, kernel, functions_);
    return profile;
  }

  Trace trace_;
  InstructionCounts counts_;
  DeviceFunctions functions_;
};

TEST_F(InstructionCountsTest, AreAddedByOffset) {
  EXPECT_TRUE(add(counts_, wire::Kind::instruction_count, wire::InstructionCountBody{4, 1, 16, {3, 0, 0}}));
  EXPECT_TRUE(add(counts_, wire::Kind::instruction_count, wire::InstructionCountBody{4, 1, 16, {0, 96, 0}}));
  EXPECT_TRUE(add(counts_, wire::Kind::instruction_count, wire::InstructionCountBody{4, 1, 32, {1, 32, 31}}));
  EXPECT_TRUE(add(counts_, wire::Kind::counted_launch, launch(4, 2, false)));
  const KernelProfile kernel = give(2);
  EXPECT_EQ(metric_number(trace_, kernel, "inst_executed").value_or(0), 4);
  EXPECT_EQ(metric_number(trace_, kernel, "thread_inst_executed").value_or(0), 128);
  EXPECT_EQ(metric_number(trace_, kernel, "thread_inst_executed_true").value_or(0), 31);
  ASSERT_NE(kernel.function, kNone);
  const InstructionTally tally = counts_.finish();
  EXPECT_EQ(tally.instructions, 2);
  EXPECT_EQ(tally.elsewhere, 5);
  EXPECT_TRUE(tally.unfinished.empty());
}

TEST_F(InstructionCountsTest, WhatEndedInTheMidstIsNamed) {
  EXPECT_TRUE(add(counts_, wire::Kind::counted_launch, launch(1, 0, true), "whole"));
  EXPECT_TRUE(add(counts_, wire::Kind::counted_launch, launch(1, 0, false)));
  EXPECT_TRUE(add(counts_, wire::Kind::counted_launch, launch(2, 0, true), "killed"));
  EXPECT_EQ(counts_.finish().unfinished, "killed");
}

TEST_F(InstructionCountsTest, ALaunchWithoutThemIsCounted) {
  EXPECT_TRUE(add(counts_, wire::Kind::counted_launch, launch(4, 2, false)));
  EXPECT_TRUE(give(2).metrics.empty());
  EXPECT_TRUE(give(3).metrics.empty());
  const InstructionTally tally = counts_.finish();
  EXPECT_EQ(tally.empty, 1);
  EXPECT_EQ(tally.without, 1);
}

TEST_F(InstructionCountsTest, APieceIsNoRecord) {
  EXPECT_FALSE(add(counts_, wire::Kind::instruction_count, wire::SampledLaunchBody{}, "12345678"));
  EXPECT_FALSE(add(counts_, wire::Kind::counted_launch, wire::PcStateBody{}));
}

}  // namespace instruction_counts_test
}  // namespace sonde::record
