#include <gtest/gtest.h>

#include <lz4.h>

#include "importers/importer.h"
#include "importers/nsys_report/container.h"
#include "importers/nsys_report/events.h"
#include "memory_file.h"
#include "nsys_report_writer.h"
#include "shared/trace_builder.h"

namespace sonde {
namespace nsys_report_test {

Trace some_trace() {
  TraceBuilder builder;
  const ThreadId thread = builder.thread(100, 101);
  const StreamId stream = builder.stream(100);
  for (int64_t i = 0; i < 100; ++i) {
    const uint32_t correlation = builder.call(thread, i * 100, i * 100 + 10);
    builder.kernel(stream, i * 100 + 20, i * 100 + 90, i % 2 == 0 ? "gemm" : "relu", correlation);
    builder.push_pop(thread, i * 100 - 1, i * 100 + 11, "step");
  }
  Trace trace = builder.build();
  trace.streams[stream].stream = 7;
  return trace;
}

Result<Trace> import_bytes(std::string_view bytes) {
  const test::MemoryFile file(bytes);
  const std::string path = file.path();
  return import_run(std::span(&path, 1), {.fields = Fields::all()});
}

std::string error_of(std::string_view bytes) {
  const auto trace = import_bytes(bytes);
  return trace ? "read" : trace.error().message;
}

TEST(NsysContainer, FindsThePieces) {
  const test::PlainReport report = test::plain_report(some_trace(), 1000);
  const std::string bytes = test::pack_report(report);
  const auto layout = nsys::read_layout(bytes);
  ASSERT_TRUE(layout) << layout.error().message;
  EXPECT_EQ(layout->version, "2025.5.1.121.sonde_test");
  EXPECT_EQ(layout->counts.events, report.events);
  EXPECT_EQ(layout->blocks.size(), report.blocks.size());
  EXPECT_EQ(layout->threads, report.threads);
  EXPECT_EQ(layout->target, report.target);
  nsys::Unpacker unpacker;
  for (size_t i = 0; i < report.blocks.size(); ++i) EXPECT_EQ(*unpacker.unpack(layout->blocks[i]), report.blocks[i]);
  EXPECT_EQ(*unpacker.unpack(layout->strings), report.strings);
}

int64_t logged(const Trace& trace, Issue issue) {
  int64_t count = 0;
  for (const ImportLog::Entry& entry : trace.log.entries()) count += entry.issue == issue ? entry.count : 0;
  return count;
}

/// Recordings with MPI or NCCL ranges have the schemas of these ranges' payloads behind the target.
TEST(NsysContainer, ReadsOnPastABlockBehindTheTarget) {
  test::PlainReport report = test::plain_report(some_trace());
  report.extras = {"schemas"};
  const auto trace = import_bytes(test::pack_report(report));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(row_count(trace->kernels), 100);
  EXPECT_EQ(logged(*trace, Issue::unknown_section), 0);
}

TEST(NsysContainer, CountsWhatItDoesNotKnowBehindTheTarget) {
  test::PlainReport report = test::plain_report(some_trace());
  report.extras = {"schemas", "more", "and more"};
  EXPECT_EQ(logged(*import_bytes(test::pack_report(report)), Issue::unknown_section), 2);
  report.extras = {};
  report.rest = "\xff\xff\xff\x7f, no block";
  const auto trace = import_bytes(test::pack_report(report));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(row_count(trace->kernels), 100);
  EXPECT_EQ(logged(*trace, Issue::unknown_section), 1);
}

TEST(NsysContainer, RefusesSizesThatLz4CannotReach) {
  nsys::Unpacker unpacker;
  const auto block = unpacker.unpack({std::string_view("\x10"
                                                       "a",
                                                       2),
                                      uint64_t{1} << 40});
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().message, "a block of 2 bytes claims to decompress to 1099511627776");
}

TEST(NsysContainer, UnpacksWhatGrowsMost) {
  std::string plain(1 << 20, '\0');
  const std::string_view length("\xFC\xFF\x3F", 3);  // 2^20 - 4
  plain.replace(0, length.size(), length);
  plain.resize(plain.size() - 1);
  std::string packed(static_cast<size_t>(LZ4_compressBound(static_cast<int>(plain.size()))), '\0');
  packed.resize(static_cast<size_t>(LZ4_compress_default(plain.data(), packed.data(), static_cast<int>(plain.size()),
                                                         static_cast<int>(packed.size()))));
  nsys::Unpacker unpacker;
  const auto message = unpacker.unpack({packed, plain.size()});
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(message->size(), plain.size() - length.size());
}

TEST(NsysContainer, EveryPrefixIsRefused) {
  std::vector<size_t> marks;
  const std::string bytes = test::pack_report(test::plain_report(some_trace(), 1000), &marks);
  for (size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(nsys::read_layout(bytes.substr(0, size)));
  EXPECT_GT(marks.size(), 10);
}

TEST(NsysReport, ReadsWhatWasWritten) {
  const Trace written = some_trace();
  const auto read = import_bytes(test::pack_report(test::plain_report(written, 1000)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kernels.start, written.kernels.start);
  EXPECT_EQ(read->kernels.end, written.kernels.end);
  EXPECT_EQ(read->kernels.correlation, written.kernels.correlation);
  EXPECT_EQ(read->api.start, written.api.start);
  EXPECT_EQ(read->ranges.end, written.ranges.end);
  for (size_t row = 0; row < row_count(written.kernels); ++row) {
    EXPECT_EQ(read->name(read->kernels.name[row]), written.name(written.kernels.name[row]));
  }
  ASSERT_EQ(read->log.entries().size(), 1);  // the builder describes no GPU
  EXPECT_EQ(read->log.entries()[0].issue, Issue::unknown_device);
}

TEST(NsysReport, OneStreamHasWorkAndWaitsWhateverGreenContextTheyName) {
  TraceBuilder builder;
  const StreamId with_zero = builder.stream(100);
  const StreamId without = builder.stream(100);
  const StreamId of_green_context = builder.stream(100);
  for (const StreamId stream : {with_zero, without, of_green_context}) builder.kernel(stream, 10, 20, "gemm", 0);
  Trace written = builder.build();
  written.streams[with_zero].green_context = 0;
  written.streams[of_green_context].green_context = 3;
  const auto read = import_bytes(test::pack_report(test::plain_report(written, 1000)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->streams.size(), 2U);
  EXPECT_EQ(read->streams[read->kernels.stream[0]].green_context, kNone);
  EXPECT_EQ(read->kernels.stream[0], read->kernels.stream[1]);
  EXPECT_EQ(read->streams[read->kernels.stream[2]].green_context, 3U);
}

TEST(NsysReport, WaitsAreOnTheGpuOfTheirContext) {
  TraceBuilder builder;
  const ThreadId thread = builder.thread(100, 101);
  const StreamId second_gpu = builder.stream(100, 1);
  const StreamId as_waits_name_it = builder.stream(100, 0);
  builder.kernel(second_gpu, 10, 20, "gemm", 0);
  builder.wait_event(thread, as_waits_name_it, 30, 40, 5);
  Trace written = builder.build();
  for (const StreamId stream : {second_gpu, as_waits_name_it}) {
    written.streams[stream].context = 2;
    written.streams[stream].stream = 15;
  }
  const auto read = import_bytes(test::pack_report(test::plain_report(written, 1000)));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->streams.size(), 1U);
  EXPECT_EQ(read->streams[0].ordinal, 1);
  EXPECT_EQ(read->syncs.stream, (Ids{0}));
}

TEST(NsysReport, NumbersGpusAsTheProcessDoes) {
  Trace written = some_trace();
  for (const int64_t id : {0, 1}) {
    Device& device = written.devices.emplace_back();
    device.id = id;
    device.cuda_ordinal = id;
    device.sm_count = 100;
    device.compute_major = 8;
    device.compute_minor = 6;
  }
  test::PlainReport report = test::plain_report(written, 1000);
  // Another machine {9: {1: GPU, 2: its number, 3: process}, ...}: GPU 0 is 1 in process 100, and GPU 1 is 0.
  report.target += std::string("\x0A\x12\x12\x10\x4A\x06\x08\x00\x10\x01\x18\x64\x4A\x06\x08\x01\x10\x00\x18\x64", 20);
  const auto read = import_bytes(test::pack_report(report));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->devices.size(), 2U);
  EXPECT_EQ(read->devices[0].cuda_ordinal, 1);
  EXPECT_EQ(read->devices[1].cuda_ordinal, 0);
  EXPECT_EQ(read->devices[1].compute_major, 8);
  EXPECT_EQ(read->devices[1].compute_minor, 6);
  EXPECT_EQ(read->streams[0].device, 1U);
}

TEST(NsysReport, MergesWhatThreadsReadInTheOrderOfTheFile) {
  TraceBuilder builder;
  std::vector<ThreadId> threads;
  for (int64_t i = 0; i < 12; ++i) threads.push_back(builder.thread(100, 101 + i));
  const StreamId stream = builder.stream(100);
  for (int64_t i = 0; i < 60'000; ++i) {  // some 6 MB, several runs of blocks
    const ThreadId thread = threads[static_cast<size_t>(i / 5'000)];
    const uint32_t correlation = builder.call(thread, i * 100, i * 100 + 10);
    builder.kernel(stream, i * 100 + 20, i * 100 + 90, "gemm", correlation);
    builder.push_pop(thread, i * 100 - 1, i * 100 + 11, "step");
  }
  const Trace written = builder.build();
  const auto read = import_bytes(test::pack_report(test::plain_report(written, 1 << 16)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->api.start, written.api.start);
  EXPECT_EQ(read->kernels.launch, written.kernels.launch);
  EXPECT_EQ(read->ranges.start, written.ranges.start);
  for (size_t row = 0; row < row_count(written.api); row += 999) {
    EXPECT_EQ(read->threads[read->api.thread[row]].tid, written.threads[written.api.thread[row]].tid);
    EXPECT_EQ(read->threads[read->ranges.thread[row]].tid, written.threads[written.ranges.thread[row]].tid);
  }
}

TEST(NsysReport, KeepsTheRestOfADamagedBlock) {
  test::PlainReport report = test::plain_report(some_trace(), 1000);
  report.blocks[1].resize(report.blocks[1].size() / 2);
  const auto read = import_bytes(test::pack_report(report));
  ASSERT_TRUE(read) << read.error().message;
  int64_t missing = 0;
  for (const ImportLog::Entry& e : read->log.entries()) {
    if (e.issue == Issue::missing_events) missing = e.count;
  }
  EXPECT_GT(missing, 0);
  EXPECT_EQ(row_count(read->kernels) + row_count(read->api) + row_count(read->ranges) + static_cast<size_t>(missing),
            300);
}

TEST(NsysReport, RefusesOtherCounts) {
  test::PlainReport report = test::plain_report(some_trace(), 1000);
  report.texts += 1;
  EXPECT_NE(error_of(test::pack_report(report)).find("strings, but"), std::string::npos);
}

TEST(NsysReport, FoldsBacktracesIntoTheirCalls) {
  Trace trace = some_trace();
  test::PlainReport report = test::plain_report(trace, 1 << 20);
  // Class 67 around the first call, with its correlation id 1: type 48, body 108 {1: 0, 2: 10, 3: 1, 6: 67, 13:
  // thread}.
  const uint64_t thread = trace.threads[0].global_id;
  std::string body("\x08\x00\x10\x0A\x18\x01\x30\x43\x68", 9);
  for (uint64_t left = thread; left > 0; left >>= 7)
    body += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
  std::string event("\x08\x30\xE2\x06", 4);
  event += static_cast<char>(body.size());
  event += body;
  report.blocks.back() += '\x0A';
  report.blocks.back() += static_cast<char>(event.size());
  report.blocks.back() += event;
  report.events += 1;
  const auto read = import_bytes(test::pack_report(report));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(row_count(read->api), 100);
}

TEST(NsysReport, ReadsDetailsOfLaunches) {
  Trace written = some_trace();
  for (size_t row = 0; row < row_count(written.kernels); ++row) {
    written.kernels.grid_id[row] = static_cast<int64_t>(row) * 3 + (int64_t{1} << 40);
    written.kernels.cache_config[row] = static_cast<uint8_t>(row % 5);
    written.kernels.shared_limit_config[row] = static_cast<uint8_t>(row % 2);
  }
  const auto read = import_bytes(test::pack_report(test::plain_report(written, 1000)));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->kernels.grid_id, written.kernels.grid_id);
  EXPECT_EQ(read->kernels.cache_config, written.kernels.cache_config);
  EXPECT_EQ(read->kernels.shared_limit_config, written.kernels.shared_limit_config);
}

TEST(NsysReport, ReadsOnlyWhatIsWanted) {
  const test::MemoryFile file(test::pack_report(test::plain_report(some_trace(), 1000)));
  const std::string path = file.path();
  const auto read = read_run(std::span(&path, 1), {.fields = {Field::kernels}});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(row_count(read->kernels), 100);
  EXPECT_TRUE(read->kernels.stream.empty());
  EXPECT_TRUE(read->kernels.grid_id.empty());
  EXPECT_TRUE(read->kernels.cache_config.empty());
  EXPECT_TRUE(read->kernels.shared_limit_config.empty());
  EXPECT_TRUE(read->kernels.correlation.empty());
  EXPECT_EQ(row_count(read->api), 0);
  EXPECT_EQ(row_count(read->ranges), 0);
}

}  // namespace nsys_report_test
}  // namespace sonde
