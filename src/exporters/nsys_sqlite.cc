#include <array>

#include "exporters/exporter.h"
#include "exporters/nsys_sections.h"
#include "exporters/output_file.h"

namespace sonde {
namespace {

using namespace nsys_export;

constexpr std::array<std::string_view, 2> kEndings = {".sqlite", ".db"};

Context context_of(const Trace& trace) {
  const NameId empty = trace.names.find("");
  return {trace, GlobalIds(trace), number_domains(trace), number_gpus(trace),
          empty == kNone ? static_cast<int64_t>(trace.names.size()) : int64_t{empty}};
}

int64_t total_rows(const Trace& trace) {
  int64_t rows = static_cast<int64_t>(trace.names.size());
  for_each_table(trace, [&](const auto& table, std::string_view) { rows += static_cast<int64_t>(row_count(table)); });
  return rows;
}

Status write_sections(Output& out, const Context& c) {
  SONDE_TRY(write_strings(out, c));
  SONDE_TRY(write_target(out, c));
  SONDE_TRY(write_gpu_operations(out, c));
  SONDE_TRY(write_memory_events(out, c));
  SONDE_TRY(write_calls(out, c));
  SONDE_TRY(write_ranges(out, c));
  SONDE_TRY(write_cpu_activity(out, c));
  SONDE_TRY(write_call_chains(out, c));
  SONDE_TRY(write_counters(out, c));
  SONDE_TRY(write_kernel_profiles(out, c));
  SONDE_TRY(write_enums(out));
  return write_metadata(out);
}

/// Closes the database before it returns: the file is whole then.
Status write_database(const Trace& trace, const std::string& path, Progress& progress) {
  auto db = Database::create(path);
  if (!db) return std::unexpected(db.error());
  Output out{std::move(*db), &progress};
  SONDE_TRY(out.db.execute("BEGIN"));
  SONDE_TRY(write_sections(out, context_of(trace)));
  return out.db.execute("COMMIT");
}

}  // namespace

Status write_nsys_sqlite(const Trace& trace, const std::string& path, const ExportOptions& options) {
  auto file = OutputFile::open(path, options);
  if (!file) return std::unexpected(file.error());
  options.progress->begin("writing " + path, total_rows(trace), "rows");
  const Status written = write_database(trace, file->path(), *options.progress);
  options.progress->end();
  if (!written) return fail("cannot write {}: {}", path, written.error().message);
  return file->commit();
}

extern const Exporter nsys_sqlite_exporter;
const Exporter nsys_sqlite_exporter = {"nsys_sqlite", "SQLite database with the schema of Nsight Systems' exports",
                                       kEndings, &Fields::all, &write_nsys_sqlite};

}  // namespace sonde
