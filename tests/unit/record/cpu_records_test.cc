#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/cpu/address_spaces.h"
#include "record/cpu/perf_records.h"

namespace sonde::record {
namespace cpu_records_test {

/// Records as Linux writes them.
class PerfBytes {
 public:
  template <typename T>
  PerfBytes& put(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }

  PerfBytes& begin(uint32_t type, uint16_t misc = 0) {
    at_ = bytes_.size();
    return put(perf_event_header{type, misc, 0});
  }

  PerfBytes& text(const std::string& text, size_t bytes) {
    std::vector<char> padded(bytes);
    std::memcpy(padded.data(), text.data(), text.size());
    for (const char c : padded) put(c);
    return *this;
  }

  PerfBytes& identity(uint32_t process, uint32_t thread, int64_t time) {
    return put(process).put(thread).put(time).put(uint64_t{3});
  }

  PerfBytes& end() {
    const auto size = static_cast<uint16_t>(bytes_.size() - at_);
    std::memcpy(bytes_.data() + at_ + offsetof(perf_event_header, size), &size, sizeof size);
    return *this;
  }

  PerfBytes& mapping(uint32_t process, uint64_t address, uint64_t length, const std::string& path, int64_t time) {
    begin(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID).put(process).put(process);
    put(address).put(length).put(uint64_t{0x1000});
    put(std::array<uint8_t, 4>{3, 0, 0, 0}).put(std::array<uint8_t, 20>{'a', 'b', 'c'}).put(uint64_t{5});
    return text(path, 16).identity(process, process, time).end();
  }

  PerfBytes& fork(uint32_t process, uint32_t parent, int64_t time) {
    begin(PERF_RECORD_FORK).put(process).put(parent).put(process).put(parent).put(time);
    return identity(process, process, time).end();
  }

  PerfBytes& exec(uint32_t process, int64_t time) {
    begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC).put(process).put(process);
    return text("program", 16).identity(process, process, time).end();
  }

  PerfBytes& sample(uint64_t stack_bytes, uint64_t used) {
    begin(PERF_RECORD_SAMPLE).put(uint64_t{0x401000}).put(uint32_t{7}).put(uint32_t{8}).put(int64_t{99});
    put(uint64_t{2}).put(uint64_t{1000000});
    put(uint64_t{2}).put(static_cast<uint64_t>(PERF_CONTEXT_KERNEL)).put(uint64_t{0xffffffff81000000});
    put(uint64_t{PERF_SAMPLE_REGS_ABI_64});
    for (uint64_t i = 0; i < kUserRegisterCount; ++i) put(100 + i);
    put(stack_bytes);
    for (uint64_t i = 0; i < stack_bytes / sizeof(uint64_t); ++i) put(i);
    return put(used).end();
  }

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  size_t at_ = 0;
};

PerfReader with_stacks(std::span<const std::byte> bytes) {
  return PerfReader(bytes, PerfReader::Samples::chain_and_stack);
}

TEST(PerfRecords, AMappingHasItsPlaceFileAndTime) {
  const auto written = PerfBytes().mapping(7, 0x400000, 0x2000, "/bin/program", 55);
  PerfReader reader = with_stacks(written.bytes());
  PerfRecord record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.address, 0x400000U);
  EXPECT_EQ(record.length, 0x2000U);
  EXPECT_EQ(record.offset, 0x1000U);
  EXPECT_EQ(record.text, "/bin/program");
  EXPECT_EQ(record.build_id.size(), 3U);
  EXPECT_EQ(record.inode, 0U);
  EXPECT_EQ(record.time, 55);
  EXPECT_EQ(record.cpu, 3U);
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.left(), 0U);
}

TEST(PerfRecords, ASampleHasRegistersAndTheUsedPartOfItsStack) {
  const auto written = PerfBytes().sample(64, 40);
  PerfReader reader = with_stacks(written.bytes());
  PerfRecord record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.process, 7U);
  EXPECT_EQ(record.thread, 8U);
  EXPECT_EQ(record.registers.size(), kUserRegisterCount);
  EXPECT_EQ(record.registers[8], 108U);
  EXPECT_EQ(record.stack.size(), 40U);
}

TEST(PerfRecords, AStackThatUsesMoreThanItHasIsNoRecord) {
  const auto written = PerfBytes().sample(64, 72);
  PerfReader reader = with_stacks(written.bytes());
  PerfRecord record;
  EXPECT_FALSE(reader.next(record));
  EXPECT_EQ(reader.left(), written.bytes().size());
}

/// Behind how many bytes a record ends.
std::vector<size_t> ends_of(std::span<const std::byte> bytes) {
  std::vector<size_t> ends = {0};
  PerfReader reader = with_stacks(bytes);
  PerfRecord record;
  while (reader.next(record)) ends.push_back(bytes.size() - reader.left());
  return ends;
}

TEST(PerfRecords, OfBytesThatEndAnywhereTheWholeRecordsAreRead) {
  const auto written = PerfBytes().mapping(7, 0x400000, 0x2000, "/bin/program", 55).sample(64, 40).fork(9, 7, 60);
  const auto ends = ends_of(written.bytes());
  ASSERT_EQ(ends.size(), 4U);
  for (size_t cut = 0; cut < written.bytes().size(); ++cut) {
    const std::vector<std::byte> part(written.bytes().begin(), written.bytes().begin() + static_cast<ptrdiff_t>(cut));
    const size_t whole = *std::prev(std::ranges::upper_bound(ends, cut));
    EXPECT_EQ(ends_of(part).back(), whole) << cut;
  }
}

TEST(PerfRecords, TheSpoolsFormOfASampleHasTheChainInPlaceOfTheStack) {
  const auto written = PerfBytes().sample(64, 40);
  PerfReader reader = with_stacks(written.bytes());
  PerfRecord record;
  ASSERT_TRUE(reader.next(record));
  std::vector<std::byte> spooled;
  const std::array<uint64_t, 2> user = {0x401000, 0x402000};
  append_sample(record, user, true, spooled);
  PerfReader again(spooled, PerfReader::Samples::chain);
  PerfRecord read;
  ASSERT_TRUE(again.next(read));
  EXPECT_EQ(again.left(), 0U);
  EXPECT_EQ(read.misc & kWholeChain, kWholeChain);
  EXPECT_EQ(read.period, 1000000U);
  EXPECT_EQ(read.thread, 8U);
  ASSERT_EQ(read.chain.size(), 5U);
  EXPECT_EQ(read.chain[1], 0xffffffff81000000U);
  EXPECT_EQ(read.chain[2], static_cast<uint64_t>(PERF_CONTEXT_USER));
  EXPECT_EQ(read.chain[4], 0x402000U);
}

TEST(PerfRecords, WhatRunsAlreadyIsToldInTheSameForm) {
  PerfRecord mapping;
  mapping.process = mapping.thread = 7;
  mapping.address = 0x1000;
  mapping.length = 0x500;
  mapping.inode = 77;
  mapping.time = 5;
  mapping.text = "/lib/eight.so";
  std::vector<std::byte> bytes;
  append_mapping(mapping, bytes);
  mapping.text = "nameof8b";
  append_name(mapping, bytes);
  PerfReader reader = with_stacks(bytes);
  PerfRecord read;
  ASSERT_TRUE(reader.next(read));
  EXPECT_EQ(read.text, "/lib/eight.so");
  EXPECT_EQ(read.inode, 77U);
  EXPECT_EQ(read.length, 0x500U);
  ASSERT_TRUE(reader.next(read));
  EXPECT_EQ(read.text, "nameof8b");
  EXPECT_EQ(reader.left(), 0U);
}

AddressSpaces spaces_of(const PerfBytes& written) {
  AddressSpaces spaces;
  PerfReader reader = with_stacks(written.bytes());
  PerfRecord record;
  while (reader.next(record)) spaces.add(record);
  return spaces;
}

std::string path_at(const AddressSpaces& spaces, uint32_t process, int64_t time, uint64_t address) {
  const auto place = spaces.find(process, time, address);
  return place ? spaces.files()[place->file].path : "";
}

TEST(AddressSpaces, TheLastMappingOfAPlaceCountsFromItsTimeOn) {
  const auto spaces = spaces_of(PerfBytes().mapping(7, 0x4000, 0x2000, "/a", 10).mapping(7, 0x3000, 0x2000, "/b", 20));
  EXPECT_EQ(path_at(spaces, 7, 15, 0x4800), "/a");
  EXPECT_EQ(path_at(spaces, 7, 25, 0x4800), "/b");
  EXPECT_EQ(path_at(spaces, 7, 25, 0x5800), "/a");
  EXPECT_EQ(path_at(spaces, 7, 25, 0x6000), "");
  EXPECT_EQ(path_at(spaces, 8, 25, 0x4800), "");
  EXPECT_EQ(spaces.find(7, 25, 0x3010)->offset, 0x1010U);
}

TEST(AddressSpaces, AnEraEndsWhenSomethingTakesThePlaceOfSomething) {
  const auto spaces = spaces_of(PerfBytes()
                                    .mapping(7, 0x4000, 0x2000, "/a", 10)
                                    .mapping(7, 0x6000, 0x1000, "/beside", 20)
                                    .mapping(7, 0x3000, 0x1001, "/over", 30)
                                    .mapping(7, 0x3000, 0x1001, "/over", 40));
  EXPECT_EQ(spaces.era(7, 15), spaces.era(7, 29));
  EXPECT_NE(spaces.era(7, 29), spaces.era(7, 30));
  EXPECT_EQ(spaces.era(7, 30), spaces.era(7, 50));
}

TEST(AddressSpaces, AForkHasWhatItsParentHadThenAndExecutingAProgramEndsIt) {
  const auto spaces = spaces_of(PerfBytes()
                                    .mapping(7, 0x4000, 0x1000, "/a", 10)
                                    .fork(8, 7, 20)
                                    .mapping(7, 0x8000, 0x1000, "/late", 30)
                                    .exec(8, 40)
                                    .mapping(8, 0x8000, 0x1000, "/new", 41));
  EXPECT_EQ(path_at(spaces, 8, 35, 0x4000), "/a");
  EXPECT_EQ(path_at(spaces, 8, 35, 0x8000), "");
  EXPECT_EQ(path_at(spaces, 8, 50, 0x8000), "/new");
  EXPECT_EQ(path_at(spaces, 8, 50, 0x4000), "");
  EXPECT_NE(spaces.image(8, 35), spaces.image(8, 50));
}

}  // namespace cpu_records_test
}  // namespace sonde::record
