#include "importers/ncu_csv/ncu_csv.h"

#include "base/files/file.h"
#include "importers/files/csv_records.h"
#include "importers/ncu_csv/kernels.h"

namespace sonde {
namespace ncu_csv {
namespace {

/// Whether a line of `text` begins as the header of a table of ncu does.
bool has_table(std::string_view text) {
  constexpr std::string_view kBegin = "\"ID\",";
  for (size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if ((at == 0 || text[at - 1] == '\n') && line.contains("\"Kernel Name\"")) return true;
  }
  return false;
}

/// ncu's own lines begin so; the table may stand far below them, behind what the program printed.
bool recognizes(const Probe& probe) {
  const std::string_view head = probe.head();
  return has_table(head) || head.starts_with("==PROF== ") || head.contains("\n==PROF== ");
}

bool picks(const Probe& probe) { return has_table(probe.head()); }

RankId add_rank(const std::string& path, Trace& trace) {
  Rank rank;
  rank.file = short_path(path);
  rank.format = "ncu_csv";
  rank.product = "NVIDIA Nsight Compute";
  trace.ranks.push_back(std::move(rank));
  return static_cast<RankId>(trace.ranks.size() - 1);
}

void note_faults(const std::string& path, const CsvRecords& records, int64_t before_table, Trace& trace) {
  trace.log.add(Issue::malformed_event, "lines with unbalanced quotes", records.malformed() - before_table);
  if (records.truncated()) trace.log.add(Issue::truncated, fmt::format("{} within its last row", short_path(path)));
}

/// False where the text has no table. `before_table` becomes the lines above it that begin with a quote.
bool read_tables(CsvRecords& records, Progress& progress, ncu_csv::Kernels& kernels, int64_t& before_table) {
  ncu_csv::Record record;
  bool in_table = false;
  size_t before = 0;
  while (records.next(record)) {
    if (ncu_csv::Header::is_one(record)) {
      kernels.begin_table(record);
      if (!in_table) before_table = records.malformed();
      in_table = true;
    } else if (in_table) {
      kernels.add(record);
    }
    progress.advance(static_cast<int64_t>(records.position() - before));
    before = records.position();
  }
  return in_table;
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  return ncu_csv::read_text(file->bytes(), path, request, trace);
}

}  // namespace
}  // namespace ncu_csv

Status ncu_csv::read_text(std::string_view text, const std::string& path, const ImportRequest& request, Trace& trace) {
  const RankId rank = ncu_csv::add_rank(path, trace);
  if (!request.fields.has(Field::kernel_profiles)) return {};
  CsvRecords records(text);
  request.progress->begin(fmt::format("reading {}", short_path(path, 1)), static_cast<int64_t>(text.size()), "bytes");
  Kernels kernels(request, rank, trace);
  int64_t before_table = 0;
  if (!ncu_csv::read_tables(records, *request.progress, kernels, before_table)) {
    return fail("{} is ncu output without a CSV table; print one with: ncu --csv --page raw --import REPORT", path);
  }
  request.progress->end();
  kernels.finish();
  ncu_csv::note_faults(path, records, before_table, trace);
  return {};
}

extern const Importer ncu_csv_importer;
const Importer ncu_csv_importer{
    .name = "ncu_csv",
    .description = "Nsight Compute CSV (ncu --csv, details or raw page), also within a log, 2020 to 2025",
    .recognizes = ncu_csv::recognizes,
    .picks = ncu_csv::picks,
    .read = ncu_csv::read,
    .kernel_report = true,
};

}  // namespace sonde
