#include <array>
#include <optional>

#include "exporters/exporter.h"
#include "exporters/files/output_file.h"
#include "exporters/nsys/sections.h"
#include "exporters/nsys/writer.h"

namespace sonde {
namespace nsys_sqlite {
namespace {

using namespace nsys_export;

constexpr std::array<std::string_view, 2> kEndings = {".sqlite", ".db"};

Context context_of(const Trace& trace, int64_t samples_before) {
  const NameId empty = trace.names.find("");
  return {.trace = trace,
          .ids = GlobalIds(trace),
          .domain_ids = number_domains(trace),
          .gpu_ids = number_gpus(trace),
          .empty_string = empty == kNone ? static_cast<int64_t>(trace.names.size()) : int64_t{empty},
          .samples_before = samples_before};
}

int64_t total_rows(const Trace& trace) {
  int64_t rows = static_cast<int64_t>(trace.names.size());
  for_each_table(trace, [&](const auto& table, std::string_view) { rows += static_cast<int64_t>(row_count(table)); });
  return rows;
}

Status write_events(Output& out, const Context& c) {
  SONDE_TRY(write_gpu_operations(out, c));
  SONDE_TRY(write_memory_events(out, c));
  SONDE_TRY(write_calls(out, c));
  SONDE_TRY(write_ranges(out, c));
  SONDE_TRY(write_cpu_activity(out, c));
  SONDE_TRY(write_nccl_operations(out, c));
  SONDE_TRY(write_call_chains(out, c));
  out.samples += static_cast<int64_t>(row_count(c.trace.samples));
  return write_counters(out, c);
}

Status write_rest(Output& out, const Context& c) {
  SONDE_TRY(write_counter_names(out, c));
  SONDE_TRY(write_kernel_profiles(out, c));
  SONDE_TRY(write_range_definitions(out, c));
  SONDE_TRY(write_communicators(out, c));
  SONDE_TRY(write_strings(out, c));
  SONDE_TRY(write_target(out, c));
  SONDE_TRY(write_enums(out));
  return write_metadata(out);
}

}  // namespace
}  // namespace nsys_sqlite

struct NsysWriter::State {
  std::string path;
  OutputFile file;
  std::optional<nsys_export::Output> out;

  [[nodiscard]] Status explained(Status status) const {
    if (!status) return fail("cannot write {}: {}", path, status.error().message);
    return status;
  }
};

NsysWriter::NsysWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
NsysWriter::NsysWriter(NsysWriter&& other) noexcept = default;
NsysWriter::~NsysWriter() = default;

Result<NsysWriter> NsysWriter::open(const std::string& path, const ExportOptions& options) {
  auto file = OutputFile::open(path, options);
  if (!file) return std::unexpected(file.error());
  auto db = Database::create(file->path());
  if (!db) return fail("cannot write {}: {}", path, db.error().message);
  auto state =
      std::make_unique<State>(State{path, std::move(*file), nsys_export::Output{std::move(*db), options.progress}});
  SONDE_TRY(state->explained(state->out->db.execute("BEGIN")));
  return NsysWriter(std::move(state));
}

Status NsysWriter::add(const Trace& part) {
  return state_->explained(
      nsys_sqlite::write_events(*state_->out, nsys_sqlite::context_of(part, state_->out->samples)));
}

Status NsysWriter::finish(const Trace& trace) {
  SONDE_TRY(
      state_->explained(nsys_sqlite::write_rest(*state_->out, nsys_sqlite::context_of(trace, state_->out->samples))));
  SONDE_TRY(state_->explained(state_->out->db.execute("COMMIT")));
  state_->out.reset();  // the file is whole when the database is closed
  return state_->file.commit();
}

Status write_nsys_sqlite(const Trace& trace, const std::string& path, const ExportOptions& options) {
  auto writer = NsysWriter::open(path, options);
  if (!writer) return std::unexpected(writer.error());
  options.progress->begin("writing " + path, nsys_sqlite::total_rows(trace), "rows");
  Status written = writer->add(trace);
  if (written) written = writer->finish(trace);
  options.progress->end();
  return written;
}

extern const Exporter nsys_sqlite_exporter;
const Exporter nsys_sqlite_exporter = {"nsys_sqlite", "SQLite database with the schema of Nsight Systems' exports",
                                       nsys_sqlite::kEndings, &Fields::all, &write_nsys_sqlite};

}  // namespace sonde
