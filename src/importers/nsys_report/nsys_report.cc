#include <algorithm>
#include <array>

#include "base/files/file.h"
#include "importers/nsys_report/entities.h"
#include "importers/nsys_report/events.h"

/// Nsight Systems' own file, without NVIDIA's software.
namespace sonde {
namespace nsys_report {
namespace {

bool recognizes(const Probe& probe) { return probe.head().starts_with(nsys::kReportBanner); }

class NsysReport : public NsysRun {
 public:
  NsysReport(const std::string& path, const ImportRequest& request, Trace& trace)
      : NsysRun(path, "nsys_report", request, trace) {}
};

std::unexpected<Error> not_understood(const std::string& path, std::string_view why) {
  return fail(
      "{} is an Nsight Systems report that Sonde cannot read ({}); export it with: nsys export --type sqlite "
      "-o OUT.sqlite FILE",
      path, why);
}

/// The report counts its own events. Fewer than that are there where a block was damaged: the rest is worth reading,
/// and the log says how many are missing. Where nothing is damaged and the numbers differ all the same, the file is not
/// laid out as this reader believes, and no number that it gave could be trusted.
Status check_counts(const nsys::ReportLayout& layout, const nsys::ReportPart& events, ImportLog& log) {
  const uint64_t stated = layout.counts.events;
  const auto found = static_cast<uint64_t>(events.events);
  if (found == stated) return {};
  if (events.damaged_blocks == 0 || found > stated) {
    return fail("its header counts {} events, but {} were found", stated, found);
  }
  const uint64_t missing = std::min(stated - found, uint64_t{1} << 62);
  log.add(Issue::missing_events, {}, static_cast<int64_t>(missing));
  return {};
}

void log_oddities(const nsys::ReportPart& events, ImportLog& log) {
  constexpr size_t kKindsToName = 32;
  log.add(Issue::malformed_event, {}, events.malformed);
  log.add(Issue::damaged_block, events.damage, events.damaged_blocks);
  size_t named = 0;
  int64_t others = 0;
  for (const auto& [kind, count] : events.unknown) {
    if (named++ < kKindsToName) {
      log.add(Issue::unknown_event, nsys::describe(kind), count);
    } else {
      others += count;
    }
  }
  log.add(Issue::unknown_event, "other types", others);
  int64_t attributes = 0;
  for (const auto& [field, count] : events.unknown_nvtx_fields) attributes += count;
  log.add(Issue::unknown_range_field, {}, attributes);
  using enum nsys::ReportTable;
  nsys::note_missing_gpu_work(
      log, {.api_calls = events.of(api) > 0,
            .gpu_work = events.of(kernels) + events.of(copies) + events.of(sets) + events.of(graph_launches) > 0,
            .whole_graphs = events.of(graph_launches) > 0});
}

/// The first extra block holds the schemas of NVTX payloads, which are not read, as payloads are not.
void log_extras(const nsys::ReportLayout& layout, ImportLog& log) {
  constexpr size_t kKnownExtras = 1;
  if (layout.extras.size() > kKnownExtras) {
    log.add(Issue::unknown_section, "blocks at the end of the report",
            static_cast<int64_t>(layout.extras.size() - kKnownExtras));
  }
  if (layout.unknown_bytes > 0) {
    log.add(Issue::unknown_section, fmt::format("{} bytes at the end of the report", layout.unknown_bytes));
  }
}

/// What an export of the report would hold, by its tables' names.
void take_inventory(NsysRun& run, const nsys::ReportLayout& layout, const nsys::ReportPart& events) {
  auto& holds = run.trace().ranks[run.rank()].holds;
  for (size_t i = 0; i < events.rows.size(); ++i) {
    if (events.rows[i] > 0) holds.emplace_back(nsys::name_of(static_cast<nsys::ReportTable>(i)), events.rows[i]);
  }
  for (const auto& [table, rows] :
       {std::pair{"StringIds", layout.counts.strings}, std::pair{"ThreadNames", layout.counts.threads}}) {
    if (rows > 0) holds.emplace_back(table, static_cast<int64_t>(rows));
  }
  nsys::count_target(layout, holds);
  std::ranges::sort(holds);
}

/// Replaces string ids by their texts: message { 1: a text, its id being its place from 0 }.
Status resolve_names(NsysRun& run, const nsys::ReportLayout& layout) {
  nsys::Unpacker unpacker;
  const auto block = unpacker.unpack(layout.strings);
  if (!block) return fail("its string table: {}", block.error().message);
  uint64_t texts = 0;
  SONDE_TRY(walk_messages("its string table", [&]() -> Status {
    Message counted = nsys::message_of(*block);
    for (; counted.next(1); counted.skip()) ++texts;
    run.resolve_names([&](const auto& take) {
      Message m = nsys::message_of(*block);
      for (uint32_t id = 0; m.next(1, protozero::pbf_wire_type::length_delimited); ++id) take(id, nsys::text_of(m));
    });
    return {};
  }));
  if (texts == layout.counts.strings) return {};
  return fail("its header counts {} strings, but {} were found", layout.counts.strings, texts);
}

Status read_layout_into(NsysRun& run, const nsys::ReportLayout& layout) {
  SONDE_TRY(walk_messages("its recording description", [&]() -> Status {
    nsys::read_report_source(run, layout);
    return {};
  }));
  nsys::ReportPart events = nsys::read_events(run, layout.blocks);
  SONDE_TRY(check_counts(layout, events, run.trace().log));
  log_oddities(events, run.trace().log);
  log_extras(layout, run.trace().log);
  nsys::append_events(run, events);
  SONDE_TRY(walk_messages("its machine description", [&]() -> Status {
    if (run.wants(Field::inventory)) take_inventory(run, layout, events);
    nsys::read_report_entities(run, layout, events);
    return {};
  }));
  return resolve_names(run, layout);
}

Status read(const std::string& path, const ImportRequest& request, Trace& trace) {
  const auto file = MappedFile::open(path);
  if (!file) return std::unexpected(file.error());
  const auto layout = nsys::read_layout(file->bytes());
  if (!layout) return not_understood(path, layout.error().message);
  NsysReport run(path, request, trace);
  const Status read = read_layout_into(run, *layout);
  return read ? read : not_understood(path, read.error().message);
}

}  // namespace
}  // namespace nsys_report

extern const Importer nsys_report_importer;
constinit const Importer nsys_report_importer{
    .name = "nsys_report",
    .description = "Nsight Systems report (.nsys-rep, .qdrep), 2021 to 2026",
    .recognizes = nsys_report::recognizes,
    .picks = nsys_report::recognizes,
    .read = nsys_report::read,
};

}  // namespace sonde
