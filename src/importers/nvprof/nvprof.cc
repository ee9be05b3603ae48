#include <algorithm>
#include <array>

#include "importers/files/kernel_names.h"
#include "importers/nsys/tables.h"
#include "importers/nvprof/session.h"
#include "trace/align.h"
#include "trace/columns.h"

/// Databases of nvprof (-o FILE) and the NVIDIA Visual Profiler.
namespace sonde {
namespace nvprof {
namespace {

/// nvprof's table of texts is StringTable, Nsight's is StringIds; the names of their CUPTI tables are partly the same.
bool recognizes(const Probe& probe) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(probe.tables(), name) != probe.tables().end();
  };
  const bool has_records = std::ranges::any_of(
      probe.tables(), [](std::string_view table) { return table.starts_with("CUPTI_ACTIVITY_KIND_"); });
  return has_records && has("StringTable") && !has("StringIds");
}

/// Values that are numbered for a GPU by the library that measured them.
constexpr std::array<std::string_view, 4> kUnnamedValues = {
    "CUPTI_ACTIVITY_KIND_METRIC", "CUPTI_ACTIVITY_KIND_METRIC_INSTANCE", "CUPTI_ACTIVITY_KIND_EVENT",
    "CUPTI_ACTIVITY_KIND_EVENT_INSTANCE"};

bool is_known(std::string_view table) {
  constexpr std::array<std::string_view, 27> kKnown = {"StringTable",
                                                       "Version",
                                                       "CONCURRENT_KERNEL",
                                                       "KERNEL",
                                                       "CDP_KERNEL",
                                                       "MEMCPY",
                                                       "MEMCPY2",
                                                       "MEMSET",
                                                       "SYNCHRONIZATION",
                                                       "RUNTIME",
                                                       "DRIVER",
                                                       "OVERHEAD",
                                                       "MARKER",
                                                       "DEVICE",
                                                       "CONTEXT",
                                                       "STREAM",
                                                       "NAME",
                                                       "UNIFIED_MEMORY_COUNTER",
                                                       "METRIC",
                                                       "EVENT",
                                                       "METRIC_INSTANCE",
                                                       "EVENT_INSTANCE",
                                                       "DEVICE_ATTRIBUTE",
                                                       "FUNCTION",
                                                       "CUDA_EVENT",
                                                       "PCIE",
                                                       "MODULE"};
  constexpr std::string_view kPrefix = "CUPTI_ACTIVITY_KIND_";
  if (table.starts_with(kPrefix)) table.remove_prefix(kPrefix.size());
  return std::ranges::find(kKnown, table) != kKnown.end();
}

void note_unnamed_values(NsysFile& file) {
  ImportLog& log = file.trace().log;
  int64_t values = 0;
  for (const std::string_view table : kUnnamedValues) {
    if (!file.has_rows(table)) continue;
    auto rows = file.database().prepare(fmt::format("SELECT count(*) FROM {}", table));
    if (!rows || !rows->next().value_or(false)) continue;
    log.add(Issue::unnamed_metric, table, rows->integer(0));
    values += rows->integer(0);
  }
  if (values == 0) return;
  log.add(Issue::tool_warning, "nvprof ran kernels several times to measure them: the time between kernels is its own");
}

void read_about(NsysFile& file) {
  Rank& rank = file.trace().ranks[file.rank()];
  rank.product = "NVIDIA nvprof";
  TableQuery version = file.query("Version");
  if (version.exists()) {
    const Cell number = version.column("version");
    file.each_row(version, [&](auto& row) { rank.schema_version = std::to_string(row.integer(number, 0)); });
  }
  if (file.wants(Field::inventory)) nsys::count_tables(file, is_known);
}

constexpr std::array<NsysFile::TimeColumn, 12> kTimes = {{{"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_KERNEL", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_CDP_KERNEL", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_MEMCPY", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_MEMCPY2", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_MEMSET", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_RUNTIME", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_DRIVER", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_OVERHEAD", "start"},
                                                          {"CUPTI_ACTIVITY_KIND_MARKER", "timestamp"},
                                                          {"CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER", "start"}}};

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  constexpr SqliteDialect kDialect{
      .format = "nvprof", .strings = "StringTable", .string_id = "_id_", .string_value = "value"};
  const std::vector<size_t> rows = row_counts(trace);
  const size_t first_kernel = row_count(trace.kernels);
  auto file = NsysFile::open(path, request, trace, kDialect);
  if (!file) return std::unexpected(file.error());
  read_about(*file);
  Session session = read_session(*file);
  read_gpu_work(*file, session);
  read_unified_memory(*file, session);
  read_calls(*file, session);
  read_overheads(*file, session);
  read_markers(*file, session);
  read_entities(*file, session);
  note_unnamed_values(*file);
  file->resolve_names();
  spread_kernel_names(trace, first_kernel);
  file->begin_at_zero(rows, kTimes);
  return {};
}

}  // namespace
}  // namespace nvprof

extern const Importer nvprof_importer;
constinit const Importer nvprof_importer{
    .name = "nvprof",
    .description = "databases of nvprof (nvprof -o FILE) and the NVIDIA Visual Profiler (.nvvp), which are SQLite",
    .recognizes = nvprof::recognizes,
    .picks = nvprof::recognizes,
    .read = nvprof::read,
};

}  // namespace sonde
