#include "record/rounds/kept_definitions.h"

#include <linux/perf_event.h>

#include <cstring>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "record/cpu/perf_records.h"
#include "wire/cuda_record.h"
#include "wire/gpu_metrics_record.h"
#include "wire/payload_record.h"

namespace sonde::record {
namespace kept_definitions_test {

constexpr uint32_t kProcess = 5;
constexpr uint32_t kThread = 9;
constexpr int64_t kSecond = 1'000'000'000;

/// A record with its text behind the body.
template <typename Body>
std::vector<std::byte> told(wire::Kind kind, Body body, int64_t time, const std::string& text = {},
                            uint16_t domain = 0) {
  if constexpr (requires { body.text_bytes; }) body.text_bytes = static_cast<uint16_t>(text.size());
  const auto bytes =
      static_cast<uint16_t>(sizeof(wire::RecordHead) + sizeof body + wire::padded(static_cast<uint32_t>(text.size())));
  const wire::RecordHead head{kind, bytes, domain, 0, time};
  std::vector<std::byte> record(bytes);
  std::memcpy(record.data(), &head, sizeof head);
  std::memcpy(record.data() + sizeof head, &body, sizeof body);
  std::memcpy(record.data() + sizeof head + sizeof body, text.data(), text.size());
  return record;
}

/// What a later round would get.
class Handed : public Sink {
 public:
  explicit Handed(const KeptDefinitions& kept) { kept.hand_to(*this); }

  void add(const Slice& slice) override {
    if (slice.mark == kCpuSliceMark) {
      PerfReader reader(slice.records, PerfReader::Samples::chain);
      for (PerfRecord record; reader.next(record);) tasks.push_back({record.type, std::string(record.text)});
      return;
    }
    wire::Reader reader(slice.records);
    for (wire::Record record; reader.next(record);) {
      ++counts[record.head.kind];
      times[record.head.kind] = record.head.time;
      texts[record.head.kind] = record.text;
    }
  }
  void flush() override {}

  std::map<wire::Kind, int> counts;
  std::map<wire::Kind, int64_t> times;      ///< of the last one
  std::map<wire::Kind, std::string> texts;  ///< the same
  std::vector<std::pair<uint32_t, std::string>> tasks;
};

void note(KeptDefinitions& kept, const std::vector<std::byte>& record, uint32_t thread = kThread) {
  kept.note({kProcess, thread, record});
}

TEST(KeptDefinitions, OfWhatIsToldAnewTheLastOneStays) {
  KeptDefinitions kept;
  for (int64_t time = 1; time <= 1000; ++time) {
    note(kept, told(wire::Kind::cuda_tally, wire::CudaTallyBody{}, time));
    note(kept, told(wire::Kind::sampling_tally, wire::SamplingTallyBody{}, time));
    note(kept, told(wire::Kind::thread_name, wire::DefinitionBody{7, 0, 0}, time, std::to_string(time)));
    note(kept, told(wire::Kind::cuda_state, wire::CudaStateBody{wire::CudaState::lacks, 0, 0, {}}, time, "why"));
    note(kept, told(wire::Kind::code_mapping, wire::CodeMappingBody{1, 2, 3, 4, 0, {}}, time, "/a"));
    note(kept, told(wire::Kind::cuda_graph, wire::CudaGraphBody{wire::CudaGraphChange::created, 1, 0, 0}, time));
  }
  Handed handed(kept);
  EXPECT_EQ(handed.counts[wire::Kind::cuda_tally], 1);
  EXPECT_EQ(handed.times[wire::Kind::cuda_tally], 1000);
  EXPECT_EQ(handed.times[wire::Kind::sampling_tally], 1000);
  EXPECT_EQ(handed.counts[wire::Kind::thread_name], 1);
  EXPECT_EQ(handed.texts[wire::Kind::thread_name], "1000");
  EXPECT_EQ(handed.counts[wire::Kind::cuda_state], 1);
  EXPECT_EQ(handed.counts[wire::Kind::code_mapping], 2) << "the first one, too";
  EXPECT_EQ(handed.counts[wire::Kind::cuda_graph], 0) << "no later round launches it";
}

TEST(KeptDefinitions, WhatTellsOfDifferentThingsStays) {
  KeptDefinitions kept;
  for (uint32_t number = 0; number < 100; ++number) {
    note(kept, told(wire::Kind::string, wire::DefinitionBody{number, 0, 0}, 1, "text"));
    note(kept, told(wire::Kind::thread_name, wire::DefinitionBody{number, 0, 0}, 1, "text"));
    note(kept, told(wire::Kind::cuda_tally, wire::CudaTallyBody{}, 1), number);
    note(kept, told(wire::Kind::category, wire::DefinitionBody{1, 0, 0}, 1, "text", static_cast<uint16_t>(number)));
    note(kept, told(wire::Kind::cuda_graph, wire::CudaGraphBody{wire::CudaGraphChange::instantiated, 1, 0, number}, 1));
    note(kept, told(wire::Kind::payload_entry, wire::PayloadEntryBody{1, 0, 0, 0, 0, number, 0, 0}, 1));
  }
  const Handed handed(kept);
  EXPECT_EQ(handed.counts.size(), 6U);
  for (const auto& [kind, count] : handed.counts) EXPECT_EQ(count, 100) << static_cast<int>(kind);
}

TEST(KeptDefinitions, DamageIsNotKept) {
  KeptDefinitions kept;
  note(kept, told(wire::Kind::cuda_tally, uint64_t{1}, 1));
  note(kept, told(wire::Kind::string, wire::DefinitionBody{1, 0, 0}, -1, "a time before all others"));
  EXPECT_TRUE(Handed(kept).counts.empty());
}

/// A thread's name, or where code lies, as Linux tells it.
std::vector<std::byte> task(uint32_t type, uint32_t thread, const std::string& text, int64_t time) {
  PerfRecord record;
  record.process = kProcess;
  record.thread = thread;
  record.time = time;
  record.address = 4096;
  record.length = 4096;
  record.text = text;
  std::vector<std::byte> bytes;
  type == PERF_RECORD_COMM ? append_name(record, bytes) : append_mapping(record, bytes);
  return bytes;
}

/// FORK and EXIT have one form.
std::vector<std::byte> life(uint32_t type, uint32_t process, uint32_t parent, uint32_t thread) {
  std::vector<uint32_t> words = {type, 0, process, parent, thread, thread, 1, 0, process, thread, 1, 0, 0, 0};
  words[1] = static_cast<uint32_t>(words.size() * sizeof(uint32_t)) << 16U;
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

TEST(KeptDefinitions, OfThreadsThatEndedNothingStays) {
  KeptDefinitions kept;
  const auto note_task = [&](const std::vector<std::byte>& record) { kept.note({0, 0, record, kCpuSliceMark}); };
  note_task(life(PERF_RECORD_FORK, kProcess, 1, kProcess));
  note_task(task(PERF_RECORD_COMM, kProcess, "main", 1));
  for (uint32_t thread = 100; thread < 1100; ++thread) {
    note_task(life(PERF_RECORD_FORK, kProcess, kProcess, thread));
    note_task(task(PERF_RECORD_COMM, thread, "worker", thread));
    note_task(task(PERF_RECORD_MMAP2, thread, "/plugin.so", thread));
    note_task(life(PERF_RECORD_EXIT, kProcess, kProcess, thread));
  }
  using Task = std::pair<uint32_t, std::string>;
  const std::vector<Task> expected = {{PERF_RECORD_FORK, ""},
                                      {PERF_RECORD_MMAP2, "/plugin.so"},
                                      {PERF_RECORD_COMM, "main"},
                                      {PERF_RECORD_MMAP2, "/plugin.so"}};
  EXPECT_EQ(Handed(kept).tasks, expected) << "of code the first and the last";
}

}  // namespace kept_definitions_test
}  // namespace sonde::record
