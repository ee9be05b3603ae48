#include <algorithm>
#include <array>

#include "base/text/calendar.h"
#include "importers/nsys/rules.h"
#include "importers/nsys/tables.h"

/// What the file is, when and how it was recorded, what it holds, and what the recording tool said of it.
namespace sonde::nsys {
namespace {

/// Name and value of a metadata table, in all three forms that the versions have. A name may come many times.
template <typename F>
void each_metadata(NsysFile& file, std::string_view table, F&& f) {
  TableQuery query = file.query(table);
  if (!query.exists()) return;
  const Cell name = query.column("name");
  const Cell value = query.column("value");
  file.each_row(query, [&](auto& row) {
    const std::string key(row.text(name));
    f(key, row.text(value));
  });
}

void read_product(NsysFile& file, Rank& rank) {
  for (const std::string_view table : {"META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    each_metadata(file, table, [&](std::string_view name, std::string_view value) {
      if (name == "EXPORT_PRODUCT_NAME") rank.product = value;
      if (name == "EXPORT_PRODUCT_VERSION") rank.product_version = value;
      if (name == "EXPORT_SCHEMA_VERSION") rank.schema_version = value;
    });
  }
  if (rank.product.empty()) rank.product = "NVIDIA Nsight Systems";
}

void read_times(NsysFile& file, Rank& rank) {
  TableQuery session = file.query("TARGET_INFO_SESSION_START_TIME");
  if (session.exists()) {
    const Cell utc = session.column("utcEpochNs");
    const Cell utc_text = session.column("utcTime");
    const Cell local_text = session.column("localTime");
    file.each_row(session, [&](auto& row) {
      if (!row.is_null(utc)) rank.utc_ns = row.integer(utc, 0);
      const auto in_utc = parse_moment(row.text(utc_text));
      const auto in_local = parse_moment(row.text(local_text));
      if (in_utc && in_local) rank.utc_offset_s = time_zone(*in_local - *in_utc);
    });
  }
  rank.capture_start_ns = 0;
  TableQuery details = file.query("ANALYSIS_DETAILS");
  if (!details.exists()) return;
  const Cell duration = details.column("duration");
  const Cell start = details.column("startTime");
  file.each_row(details, [&](auto& row) {
    rank.capture_end_ns = row.integer(duration, 0);
    if (!row.is_null(start)) rank.capture_clock_ns = row.integer(start, 0);
  });
}

/// Tables that Sonde reads, or that say nothing of what happened.
constexpr std::array<std::string_view, 37> kKnownTables = {"ANALYSIS_DETAILS",
                                                           "ANALYSIS_FILE",
                                                           "COMPOSITE_EVENTS",
                                                           "CUBLAS_EVENTS",
                                                           "CUDA_CALLCHAINS",
                                                           "CUDA_GPU_MEMORY_USAGE_EVENTS",
                                                           "CUDA_GRAPH_EVENTS",
                                                           "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
                                                           "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
                                                           "CUDNN_EVENTS",
                                                           "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                                                           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                                           "CUPTI_ACTIVITY_KIND_KERNEL",
                                                           "CUPTI_ACTIVITY_KIND_MEMCPY",
                                                           "CUPTI_ACTIVITY_KIND_MEMSET",
                                                           "CUPTI_ACTIVITY_KIND_OVERHEAD",
                                                           "CUPTI_ACTIVITY_KIND_RUNTIME",
                                                           "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                                           "DIAGNOSTIC_EVENT",
                                                           "EXPORT_META_DATA",
                                                           "GPU_METRICS",
                                                           "META_DATA_CAPTURE",
                                                           "META_DATA_EXPORT",
                                                           "NVTX_EVENTS",
                                                           "NVTX_PAYLOAD_SCHEMAS",
                                                           "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                                                           "OSRT_API",
                                                           "OSRT_CALLCHAINS",
                                                           "PROCESSES",
                                                           "PROFILER_OVERHEAD",
                                                           "ProcessStreams",
                                                           "SAMPLING_CALLCHAINS",
                                                           "SCHED_EVENTS",
                                                           "SYSCALL",
                                                           "StringIds",
                                                           "ThreadNames",
                                                           "UnwindMethodType"};

bool is_known_table(std::string_view table) {
  return table.starts_with("TARGET_INFO_") || table.starts_with("SONDE_") ||
         std::ranges::find(kKnownTables, table) != kKnownTables.end();
}

void read_capture(NsysFile& file, Rank& rank) {
  for (const std::string_view table : {"META_DATA_CAPTURE", "META_DATA_EXPORT", "EXPORT_META_DATA"}) {
    each_metadata(file, table,
                  [&](std::string_view name, std::string_view value) { rank.capture.emplace_back(name, value); });
  }
  TableQuery query = file.query("TARGET_INFO_SYSTEM_ENV");
  if (!query.exists()) return;
  const Cell name = query.column("name");
  const Cell value = query.column("value");
  file.each_row(query, [&](auto& row) {
    const std::string key(row.text(name));
    rank.capture.emplace_back(key, row.text(value));
  });
}

}  // namespace

void count_tables(NsysFile& file, bool (*is_known)(std::string_view table)) {
  Rank& rank = file.trace().ranks[file.rank()];
  for (const auto& [table, columns] : file.tables()) {
    if (table.starts_with("ENUM_") || table.starts_with("sqlite_")) continue;
    auto statement = file.database().prepare(fmt::format("SELECT count(*) FROM {}", quote_identifier(table)));
    if (!statement || !statement->next().value_or(false) || statement->integer(0) == 0) continue;
    rank.holds.emplace_back(table, statement->integer(0));
    if (!is_known(table)) file.trace().log.add(Issue::unknown_table, table);
  }
}

void read_source(NsysFile& file) {
  Rank& rank = file.trace().ranks[file.rank()];
  read_product(file, rank);
  read_times(file, rank);
  if (file.wants(Field::inventory)) count_tables(file, is_known_table);
  if (file.wants(Field::capture)) read_capture(file, rank);
}

void read_diagnostics(NsysFile& file) {
  TableQuery query = file.query("DIAGNOSTIC_EVENT");
  if (!file.wants(Field::diagnostics) || !query.exists()) return;
  const Cell time = query.column("timestamp");
  const Cell severity = query.column("severity");
  const Cell text = query.column("text");
  auto parts = file.scan<Part<Diagnostics>>(query, [&](auto& row, Part<Diagnostics>& part) {
    row.put(time, part.rows.start, int64_t{0});
    row.put(severity, part.rows.severity, kUnknown32);
    part.rows.text.push_back(part.texts.intern(row.text(text)) | kInlineText);
  });
  for (auto& part : parts) append_diagnostics(file, part);
}

}  // namespace sonde::nsys
