#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <zlib.h>

#include "base/files/json_scan.h"
#include "importers/pytorch_text.h"

namespace sonde {
namespace pytorch_trace_test {

constexpr std::string_view kEvent =
    R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 3, "dur": 4})";

std::string error_of(std::string_view json) {
  Trace trace;
  ImportRequest request;
  const Status status = pytorch::read_text(json, "x.json", request, trace);
  return status ? "" : status.error().message;
}

/// A file in a folder that goes away with the test.
class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / "sonde_test_XXXXXX";
    std::string name = folder_.string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, std::string_view bytes) const {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  [[nodiscard]] std::string write_gz(const std::string& name, std::string_view bytes) const {
    const auto path = (folder_ / name).string();
    gzFile file = gzopen(path.c_str(), "ab");
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
    return path;
  }

  std::filesystem::path folder_;
};

Result<Trace> import(const std::string& path) {
  ImportRequest request;
  request.fields = Fields::all();
  return import_run(std::span(&path, 1), request);
}

TEST_F(FileTest, IsRecognizedByContentAndReadPlainOrCompressed) {
  const std::string json = document(kEvent);
  for (const std::string& path : {write("a.txt", json), write("list", "[" + std::string(kEvent) + "]"),
                                  write_gz("b", json), write("bom.json", "\xEF\xBB\xBF" + json)}) {
    const auto trace = import(path);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(trace->ranges.start.size(), 1U) << path;
    EXPECT_EQ(trace->ranks.at(0).format, "pytorch_trace");
    EXPECT_TRUE(trace->log.empty());
  }
}

TEST_F(FileTest, SeveralGzipMembersAreOneText) {
  const std::string json = document(kEvent);
  std::ignore = write_gz("m.json.gz", json.substr(0, 40));
  const auto trace = import(write_gz("m.json.gz", json.substr(40)));
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->ranges.start.size(), 1U);
  EXPECT_TRUE(trace->log.empty());
}

TEST_F(FileTest, ACutGzipFileIsReadAsFarAsItGoes) {
  std::string events(kEvent);
  for (int i = 0; i < 2000; ++i)
    events += fmt::format(R"(, {{"ph": "X", "cat": "cpu_op", "name": "{}", "pid": 1,
    "tid": 2, "ts": {}, "dur": 4}})",
                          i * 7919, i);
  std::ignore = write_gz("whole.gz", document(events));
  std::filesystem::resize_file(folder_ / "whole.gz", std::filesystem::file_size(folder_ / "whole.gz") / 2);
  const auto trace = import((folder_ / "whole.gz").string());
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_GT(trace->ranges.start.size(), 100U);
  EXPECT_EQ(issues(*trace, Issue::truncated), 2) << "the JSON and the compressed bytes";
}

TEST_F(FileTest, AFolderOfRanksIsOneRun) {
  std::ignore =
      write("rank0.json", document(kEvent, R"("distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2})"));
  std::ignore =
      write("rank1.json", document(kEvent, R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2})"));
  const auto trace = import(folder_.string());
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->ranks.size(), 2U);
  EXPECT_EQ(trace->ranks[1].rank, 1);
  EXPECT_EQ(trace->ranks[1].world_size, 2);
  EXPECT_EQ(trace->ranks[1].backend, "nccl");
  EXPECT_EQ(trace->threads.size(), 2U);
  EXPECT_EQ(trace->domains.size(), 1U);
  EXPECT_EQ(trace->processes[trace->threads[trace->ranges.thread[1]].process].rank, 1U);
}

TEST_F(FileTest, GpuWorkStaysInItsRankWhateverIsRead) {
  const auto rank = [](int pid) {
    return document(fmt::format(
        R"({{"ph": "X", "cat": "cuda_runtime", "name": "c", "pid": {}, "tid": 1, "ts": 1, "dur": 1, "args": {{}}}},
           {{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 2, "dur": 1, "args": {{"device": 0,
             "stream": 7}}}})",
        pid));
  };
  std::ignore = write("rank0.json", rank(10));
  std::ignore = write("rank1.json", rank(11));
  for (const Fields& fields : {Fields::all(), Fields{Field::kernels, Field::streams}}) {
    const std::string path = folder_.string();
    ImportRequest request;
    request.fields = fields;
    const auto trace = import_run(std::span(&path, 1), request);
    ASSERT_TRUE(trace) << trace.error().message;
    ASSERT_EQ(trace->streams.size(), 2U);
    ASSERT_EQ(trace->processes.size(), 2U);
    EXPECT_EQ(trace->processes[trace->streams[1].process].pid, 11);
    EXPECT_EQ(trace->devices[trace->streams[1].device].rank, 1U);
  }
}

TEST(PytorchDocument, SaysWhatAFileIsThatIsNoTrace) {
  EXPECT_EQ(error_of(R"({"a": 1})"),
            "x.json is JSON but not a trace because it has no list \"traceEvents\"; write a trace with "
            "torch.profiler's export_chrome_trace()");
  EXPECT_EQ(error_of("[1, 2]"),
            "x.json is JSON but not a trace: no element of its list is a trace event; pass a trace that PyTorch wrote");
  EXPECT_EQ(error_of(R"({"a": [1, 2)"),
            "x.json is truncated or not valid JSON at byte 1, before any event; copy it again");
  EXPECT_EQ(error_of("hello"), "x.json is not JSON");
}

TEST(PytorchDocument, DescribesDevicesAndRecording) {
  const Trace t = read_trace(document(kEvent, R"("schemaVersion": 1, "roctracer_version": 4.1, "username": "me",
    "deviceProperties": [{"id": 3, "name": "NVIDIA H100", "totalGlobalMem": 85018279936, "computeMajor": 9,
      "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "regsPerBlock": 65536,
      "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerBlock": 49152, "sharedMemPerMultiprocessor": 233472,
      "sharedMemPerBlockOptin": 232448, "numSms": 132}])"));
  ASSERT_EQ(t.devices.size(), 1U);
  const Device& d = t.devices[0];
  EXPECT_EQ(d.id, 3);
  EXPECT_EQ(d.name, "NVIDIA H100");
  EXPECT_EQ(d.total_memory_bytes, 85018279936);
  EXPECT_EQ(d.compute_major, 9);
  EXPECT_EQ(d.sm_count, 132);
  EXPECT_EQ(d.max_warps_per_sm, 64);
  EXPECT_EQ(d.max_shared_bytes_per_sm, 233472);
  EXPECT_EQ(t.ranks[0].product, "PyTorch profiler (Kineto, roctracer)");
  EXPECT_EQ(t.ranks[0].schema_version, "1");
  EXPECT_EQ(t.ranks[0].file, "folder/trace.json");
  using Pair = std::pair<std::string, std::string>;
  EXPECT_EQ(t.ranks[0].capture, (std::vector<Pair>{{"roctracer_version", "4.1"}, {"username", "me"}}));
}

TEST(PytorchDocument, CountsStreamsOfUnknownDevicesNotTheirWork) {
  std::string events;
  for (const int stream : {7, 7, 7, 20}) {
    events += fmt::format(
        R"({}{{"ph": "X", "cat": "kernel", "name": "k", "pid": 5, "tid": {}, "ts": {}, "dur": 4, "args": {{"device": 5, "stream": {}}}}})",
        events.empty() ? "" : ",\n", stream, 10 + events.size(), stream);
  }
  const Trace t = read_trace(document(events, R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}])"));
  EXPECT_EQ(t.kernels.start.size(), 4U);
  EXPECT_EQ(issues(t, Issue::unknown_device), 2);
}

TEST(PytorchDocument, CaptureIsReadOnlyWhenWanted) {
  EXPECT_TRUE(read_trace(document(kEvent, R"("username": "me")"), {Field::kernels}).ranks[0].capture.empty());
}

TEST(PytorchDocument, CountsWhatItHoldsAndKnowsItsWindow) {
  const Trace t = read_trace(document(std::string(kEvent) + R"json(,
    {"ph": "X", "cat": "Trace", "ts": 1, "dur": 90, "pid": "Spans", "tid": "PyTorch Profiler", "name": "PyTorch Profiler (0)"},
    {"name": "process_sort_index", "ph": "M", "ts": 0, "pid": "Spans", "tid": 0, "args": {"sort_index": 536870912}},
    {"ph": "s", "id": 1, "pid": 1, "tid": 2, "ts": 3, "cat": "ac2g", "name": "ac2g"},
    {"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 99})json"));
  using Pair = std::pair<std::string, int64_t>;
  EXPECT_EQ(t.ranks[0].holds,
            (std::vector<Pair>{{"cpu_op", 1}, {"Trace", 1}, {"metadata", 1}, {"ac2g", 1}, {"instant", 1}}));
  EXPECT_EQ(t.ranks[0].capture_start_ns, 0);
  EXPECT_EQ(t.ranks[0].capture_end_ns, 98000);
  EXPECT_TRUE(t.log.empty());
  EXPECT_EQ(t.processes.size(), 1U);
}

TEST(PytorchDocument, AnEmptyListIsATrace) {
  const Trace t = read_trace(document(""));
  EXPECT_TRUE(t.log.empty());
  EXPECT_EQ(t.ranks.size(), 1U);
  EXPECT_TRUE(t.processes.empty());
}

TEST(PytorchDamage, ATraceThatBreaksOffIsReadAsFarAsItGoes) {
  const std::string whole = document(std::string(kEvent) + "," + std::string(kEvent));
  const size_t second = whole.rfind("{\"ph\"");
  const Trace t = read_trace(whole.substr(0, second + 30));
  EXPECT_EQ(t.ranges.start.size(), 1U);
  EXPECT_EQ(t.log.entries().at(0).issue, Issue::truncated);
  EXPECT_EQ(t.log.entries()[0].detail, fmt::format("folder/trace.json at byte {} of {}", second, second + 30));
  EXPECT_EQ(issues(read_trace(whole.substr(0, whole.size() - 2)), Issue::truncated), 1) << "behind its last event";
}

TEST(PytorchDamage, MalformedEventsAreCountedAndLeftOut) {
  const std::string good(kEvent);
  const auto with = [&](std::string_view bad) {
    return read_trace(document(good + "," + std::string(bad) + "," + good));
  };
  for (const std::string_view bad :
       {R"({"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": NaN, "dur": 4})",
        R"({"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": "soon", "dur": 4})",
        R"({"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 1e40, "dur": 4})",
        R"({"ph": "X", "cat": "cpu_op", "name": "b", "pid": 1, "tid": 2, "ts": 3, "dur": Infinity})",
        R"({"ph": "X", "cat": "cpu_op", "name": b", "pid": 1, "tid": 2, "ts": 3, "dur": 4, "x": "})",
        R"({"ph": "X" "cat": "cpu_op"})", "{\"ph\": \"X\", \"name\": \"tab\there\nline\"}", R"({"cat": "cpu_op"})", "7",
        "{\"ph\": \"X\", \"name\": \"\xFF\"}"}) {
    const Trace t = with(bad);
    EXPECT_EQ(t.ranges.start.size(), 2U) << bad;
    EXPECT_EQ(issues(t, Issue::malformed_event), 1) << bad;
    EXPECT_EQ(issues(t, Issue::truncated), 0) << bad;
  }
}

TEST(PytorchDamage, OddValuesThatNobodyReadsDoNoHarm) {
  const Trace t = read_trace(document(
      R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 3, "dur": 4, "args": {"v": NaN, "w": -Infinity}})"));
  EXPECT_EQ(t.ranges.start.size(), 1U);
  EXPECT_TRUE(t.log.empty());
}

TEST(PytorchDamage, AnEventWithoutItsDurationIsIncomplete) {
  const Trace t = read_trace(document(R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 3})"));
  EXPECT_EQ(issues(t, Issue::missing_value), 1);
}

TEST(PytorchDamage, AMissingQuoteLosesOneEvent) {
  const std::string good(kEvent);
  const std::string bad = R"({"ph": "X", "cat": "cpu_op, "name": "b", "pid": 1, "tid": 2, "ts": 3, "dur": 4})";
  const Trace t = read_trace(document(good + "," + bad + "," + good + "," + good));
  EXPECT_EQ(t.ranges.start.size(), 3U);
  EXPECT_EQ(issues(t, Issue::malformed_event), 1);
}

}  // namespace pytorch_trace_test
}  // namespace sonde
