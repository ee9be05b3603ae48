#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "base/files/sqlite.h"
#include "exporters/exporter.h"
#include "exporters/files/json_output.h"
#include "exporters/nsys/global_ids.h"
#include "synth/synth.h"
#include "trace/columns.h"

namespace sonde {
namespace exporters_test {

std::string temporary(const std::string& name) { return testing::TempDir() + name; }

synth::SynthOptions small_run() {
  synth::SynthOptions options;
  options.program = "training";
  options.gpus = 2;
  options.iterations = 20;
  options.layers = 2;
  return options;
}

Trace traced(const synth::SynthOptions& options) {
  auto trace = synth::synthesize(options);
  EXPECT_TRUE(trace);
  return std::move(*trace);
}

std::string write(const Trace& trace, const std::string& name) {
  const std::string path = temporary(name);
  ExportOptions options;
  options.overwrite = true;
  const auto exporter = exporter_for(path);
  EXPECT_TRUE(exporter);
  const Status written = (*exporter)->write(trace, path, options);
  EXPECT_TRUE(written) << written.error().message;
  return path;
}

/// The first value of the first row.
int64_t number(const Database& db, const std::string& sql) {
  auto query = db.prepare(sql);
  EXPECT_TRUE(query) << query.error().message;
  EXPECT_TRUE(query->next().value_or(false)) << sql;
  return query->integer(0);
}

std::string text(const Database& db, const std::string& sql) {
  auto query = db.prepare(sql);
  EXPECT_TRUE(query && query->next().value_or(false)) << sql;
  return std::string(query->text(0));
}

template <typename Table>
int64_t duration_sum(const Table& table) {
  int64_t sum = 0;
  for (size_t row = 0; row < row_count(table); ++row) sum += table.end[row] - table.start[row];
  return sum;
}

template <typename Table>
void expect_same(const Database& db, const std::string& sql_table, const Table& table) {
  EXPECT_EQ(number(db, "SELECT count(*) FROM " + sql_table), static_cast<int64_t>(row_count(table))) << sql_table;
  EXPECT_EQ(number(db, "SELECT sum(end - start) FROM " + sql_table), duration_sum(table)) << sql_table;
}

TEST(NsysSqlite, HoldsWhatTheTraceHolds) {
  const Trace t = traced(small_run());
  const auto db = Database::open_read_only(write(t, "holds.sqlite"));
  ASSERT_TRUE(db);
  expect_same(*db, "CUPTI_ACTIVITY_KIND_KERNEL", t.kernels);
  expect_same(*db, "CUPTI_ACTIVITY_KIND_MEMCPY", t.copies);
  expect_same(*db, "CUPTI_ACTIVITY_KIND_MEMSET", t.sets);
  expect_same(*db, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", t.syncs);
  expect_same(*db, "CUPTI_ACTIVITY_KIND_RUNTIME", t.api);
  expect_same(*db, "OSRT_API", t.os_calls);
  expect_same(*db, "CUBLAS_EVENTS", t.library_calls);
  EXPECT_EQ(number(*db, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59"), int64_t(row_count(t.ranges)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM GPU_METRICS"), int64_t(row_count(t.counter_values)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM SCHED_EVENTS"), int64_t(row_count(t.switches)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM COMPOSITE_EVENTS"), int64_t(row_count(t.samples)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT"), int64_t(row_count(t.cuda_events)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS"), int64_t(row_count(t.allocations)));
  EXPECT_EQ(number(*db, "SELECT count(*) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS") +
                number(*db, "SELECT count(*) FROM CUDA_UM_CPU_PAGE_FAULT_EVENTS"),
            int64_t(row_count(t.page_faults)));
  EXPECT_EQ(number(*db, "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"),
            std::accumulate(t.copies.bytes.begin(), t.copies.bytes.end(), int64_t{0}));
}

TEST(NsysSqlite, RowsJoinAsInNsightsOwnExports) {
  const Trace t = traced(small_run());
  const auto db = Database::open_read_only(write(t, "joins.sqlite"));
  ASSERT_TRUE(db);
  // Every kernel finds its launching call by process and correlation id, its name, its device, its stream.
  EXPECT_EQ(number(*db,
                   "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
                   "r.correlationId = k.correlationId AND (r.globalTid & ~0xFFFFFF) = k.globalPid "
                   "JOIN StringIds s ON s.id = k.demangledName JOIN TARGET_INFO_CUDA_DEVICE d ON d.cudaId = k.deviceId "
                   "JOIN TARGET_INFO_GPU g ON g.id = d.gpuId "
                   "JOIN TARGET_INFO_CUDA_STREAM st ON st.streamId = k.streamId AND st.contextId = k.contextId"),
            static_cast<int64_t>(row_count(t.kernels)));
  EXPECT_EQ(
      number(*db,
             "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY m JOIN ENUM_CUDA_MEMCPY_OPER e ON e.id = m.copyKind"),
      static_cast<int64_t>(row_count(t.copies)));
  EXPECT_EQ(number(*db, "SELECT count(DISTINCT globalTid) FROM ThreadNames"), static_cast<int64_t>(t.threads.size()));
  EXPECT_EQ(text(*db, "SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_PRODUCT_NAME'"), "Sonde");
}

TEST(NsysSqlite, TorchDomainsBecomeNvtxDomains) {
  synth::SynthOptions options = small_run();
  options.form = synth::Form::torch;
  const Trace t = traced(options);
  const auto db = Database::open_read_only(write(t, "torch.sqlite"));
  ASSERT_TRUE(db);
  for (const char* domain : {"torch.module", "torch.operator"}) {
    EXPECT_GT(
        number(*db, fmt::format("SELECT count(*) FROM NVTX_EVENTS r JOIN NVTX_EVENTS d ON d.domainId = r.domainId "
                                "WHERE d.eventType = 75 AND d.text = '{}' AND r.eventType = 59",
                                domain)),
        100);
  }
  EXPECT_GT(number(*db, "SELECT count(*) FROM NVTX_EVENTS WHERE eventType = 59 AND domainId = 0"), 50);
}

TEST(NsysSqlite, UnknownIsNull) {
  Trace t;
  t.processes.emplace_back();
  t.threads.emplace_back().process = 0;
  Stream& stream = t.streams.emplace_back();
  stream.process = 0;
  t.kernels.start = {5};
  t.kernels.end = {9};
  t.kernels.stream = {0};
  t.kernels.name = {t.names.intern("k")};
  t.kernels.graph_node = {kUnknown};
  const auto db = Database::open_read_only(write(t, "unknown.sqlite"));
  ASSERT_TRUE(db);
  EXPECT_EQ(number(*db,
                   "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NULL AND correlationId IS "
                   "NULL AND mangledName IS NULL AND streamId = 4294967295 AND shortName = demangledName"),
            1);
}

TEST(GlobalIds, KeepTheSourcesAndInventTheRest) {
  Trace t;
  const auto process = [&](RankId rank, int64_t pid, uint64_t global) {
    Process p;
    p.rank = rank;
    p.pid = pid;
    p.global_id = global;
    t.processes.push_back(p);
  };
  process(0, 111, uint64_t{1} << 48 | uint64_t{111} << 24);
  process(1, 111, uint64_t{1} << 48 | uint64_t{111} << 24);  // another rank's container has the same
  process(1, int64_t{1} << 30, 0);                           // does not fit 24 bits
  Thread thread;
  thread.process = 1;
  thread.tid = 111;
  t.threads = {thread, thread};
  const GlobalIds ids(t);
  EXPECT_EQ(ids.process(0), int64_t{1} << 48 | int64_t{111} << 24);
  EXPECT_EQ(GlobalIds::vm(ids.process(1)), 2);
  EXPECT_NE(GlobalIds::pid(ids.process(1)), 111);
  EXPECT_NE(ids.process(1), ids.process(2));
  EXPECT_EQ(ids.thread(0) & ~int64_t{0xFFFFFF}, ids.process(1));
  EXPECT_NE(ids.thread(0), ids.thread(1));
  EXPECT_EQ(ids.process(kNone), kUnknown);
}

TEST(PytorchTrace, IsJsonWithAllEvents) {
  synth::SynthOptions options = small_run();
  options.form = synth::Form::torch;
  const Trace t = traced(options);
  simdjson::dom::parser parser;
  const auto document = parser.load(write(t, "run.json"));
  ASSERT_EQ(document.error(), simdjson::SUCCESS);
  std::map<std::string, size_t> count;
  double kernel_us = 0;
  for (const simdjson::dom::element event : document["traceEvents"].get_array()) {
    std::string_view category;
    if (event["cat"].get(category) != simdjson::SUCCESS) continue;
    ++count[std::string(category)];
    if (category == "kernel") kernel_us += event["dur"].get_double().value();
  }
  EXPECT_EQ(count["kernel"], row_count(t.kernels));
  EXPECT_EQ(count["gpu_memcpy"], row_count(t.copies));
  EXPECT_EQ(count["gpu_memset"], row_count(t.sets));
  EXPECT_EQ(count["cuda_sync"], row_count(t.syncs));
  EXPECT_EQ(count["cuda_runtime"] + count["cuda_driver"], row_count(t.api));
  EXPECT_EQ(count["user_annotation"] + count["cpu_op"] + count["python_function"], row_count(t.ranges));
  EXPECT_EQ(count["cpu_instant_event"], row_count(t.allocations));
  EXPECT_NEAR(kernel_us * 1000, static_cast<double>(duration_sum(t.kernels)), 1);
}

TEST(PytorchTrace, ZippedHoldsTheSame) {
  const Trace t = traced(small_run());
  const std::string plain = write(t, "same.json");
  const std::string zipped = write(t, "same.json.gz");
  EXPECT_LT(std::filesystem::file_size(zipped) * 5, std::filesystem::file_size(plain));
}

TEST(JsonOutput, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(json_escape("a\"b\\c\n\x01"), "a\\\"b\\\\c\\n\\u0001");
  EXPECT_EQ(json_escape("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
  EXPECT_EQ(json_escape("\xFF\xC3("), "\xEF\xBF\xBD\xEF\xBF\xBD(");
  EXPECT_EQ(json_escape("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half a surrogate pair
}

TEST(JsonOutput, MicrosecondsAreExact) {
  const auto written = [](int64_t ns) {
    fmt::memory_buffer out;
    append_microseconds(out, ns);
    return fmt::to_string(out);
  };
  EXPECT_EQ(written(0), "0.000");
  EXPECT_EQ(written(1'767'225'600'000'000'001), "1767225600000000.001");
  EXPECT_EQ(written(-1), "-0.001");
  EXPECT_EQ(written(-18'000'000'010), "-18000000.010");
}

std::string error_of(const std::string& path, const ExportOptions& options) {
  const Status written = write_nsys_sqlite(Trace(), path, options);
  return written ? "" : written.error().message;
}

TEST(Exporters, LeaveFilesThatAreThereAlone) {
  const std::string path = temporary("there.sqlite");
  std::ofstream(path) << "precious";
  EXPECT_EQ(error_of(path, {}), path + " already exists; choose another name, or allow overwriting");
  ExportOptions options;
  options.overwrite = true;
  options.inputs = {path};
  EXPECT_EQ(error_of(path, options),
            path + " is an input file and would be overwritten; choose another name for the output");
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "precious");
}

TEST(Exporters, TellWhatCannotBeWritten) {
  EXPECT_EQ(error_of("/nowhere/at/all.sqlite", {}), "cannot write /nowhere/at/all.sqlite: No such file or directory");
  EXPECT_EQ(error_of(testing::TempDir(), {}), testing::TempDir() + " is a directory; pass the name of a file in it");
  EXPECT_EQ(
      exporter_for("run.txt").error().message,
      "cannot tell the output format from the name run.txt; use one of the extensions .sqlite, .db, .json, .json.gz");
}

/// Lets no file grow past 4 kB, as a full disk would.
class SmallDisk {
 public:
  SmallDisk() {
    getrlimit(RLIMIT_FSIZE, &before_);
    previous_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, previous_);
  }

 private:
  rlimit before_{};
  void (*previous_)(int) = nullptr;
};

TEST(Exporters, LeaveNothingBehindWhenTheDiskIsFull) {
  const Trace t = traced(small_run());
  const std::filesystem::path folder = temporary("full");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  for (const char* name : {"out.sqlite", "out.json", "out.json.gz"}) {
    const std::string path = (folder / name).string();
    const auto exporter = exporter_for(path);
    ASSERT_TRUE(exporter);
    const SmallDisk disk;
    const Status written = (*exporter)->write(t, path, {});
    ASSERT_FALSE(written) << name;
    EXPECT_TRUE(written.error().message.starts_with("cannot write " + path + ": ")) << written.error().message;
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << name;
  }
}

}  // namespace exporters_test
}  // namespace sonde
