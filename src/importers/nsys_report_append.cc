#include <algorithm>

#include "importers/nsys_report_events.h"

/// The rows of all parts into the trace: table by table in the order in which the SQLite export is read, so that
/// processes, threads and streams get the same ids from both.
namespace sonde::nsys {
namespace {

/// Makes room for the rows of all parts, so that appending copies no column twice.
template <typename Table>
void reserve_for(Table& table, std::span<ReportPart> parts, auto&& rows_of) {
  size_t rows = row_count(table);
  for (ReportPart& part : parts) rows += row_count(rows_of(part));
  if (row_count(table) > 0) return reserve_rows(table, rows);
  for (ReportPart& part : parts) {
    if (row_count(rows_of(part)) > 0) return reserve_rows(rows_of(part), rows);  // the first is moved into the trace
  }
}

template <typename Table, typename PartT>
void append_table(NsysRun& run, std::span<ReportPart> parts, Table& table, PartT ReportPart::* member,
                  std::initializer_list<Ids Table::*> name_columns) {
  reserve_for(table, parts, [&](ReportPart& part) -> Table& { return (part.*member).rows; });
  for (ReportPart& part : parts) {
    PartT& mine = part.*member;
    const GlobalKeys keys = run.adopt(mine);
    run.append(std::move(mine.rows), keys, table, name_columns);
    mine = {};
  }
}

/// Numbers the chains of a part behind those of the trace.
void place_chains(const CallChains& mine, const CallChains& all, Ids& column) {
  if (mine.size() == 0) return;
  for (uint32_t& chain : column) chain = chain == kNone ? kNone : chain + static_cast<uint32_t>(all.size());
}

void append_chains(NsysRun& run, CallChains&& mine) {
  CallChains& all = run.trace().chains;
  const auto first_frame = static_cast<uint32_t>(all.symbol.size());
  for (size_t i = 1; i < mine.first.size(); ++i) all.first.push_back(first_frame + mine.first[i]);
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(all.symbol, mine.symbol);
  append(all.module, mine.module);
  append(all.address, mine.address);
  append(all.kernel_mode, mine.kernel_mode);
  run.names_from(all.symbol, first_frame);
  run.names_from(all.module, first_frame);
  mine = {};
}

/// The chains of one table; its rows are not in the trace yet.
template <typename PartT>
void append_chains_of(NsysRun& run, std::span<ReportPart> parts, PartT ReportPart::* member) {
  for (ReportPart& part : parts) {
    place_chains((part.*member).chains, run.trace().chains, (part.*member).rows.chain);
    append_chains(run, std::move((part.*member).chains));
  }
}

void append_gpu_work(NsysRun& run, std::span<ReportPart> parts) {
  Trace& t = run.trace();
  append_table(run, parts, t.kernels, &ReportPart::kernels,
               {&Kernels::name, &Kernels::short_name, &Kernels::mangled_name});
  append_table(run, parts, t.copies, &ReportPart::copies, {});
  append_table(run, parts, t.sets, &ReportPart::sets, {});
  append_table(run, parts, t.graph_launches, &ReportPart::graph_launches, {});
  append_table(run, parts, t.syncs, &ReportPart::syncs, {});
  append_table(run, parts, t.cuda_events, &ReportPart::cuda_events, {});
}

void append_api(NsysRun& run, std::span<ReportPart> parts) {
  Calls& calls = run.trace().api;
  const size_t first = row_count(calls);
  append_table(run, parts, calls, &ReportPart::api, {&Calls::name});
  if (has_backtrace_rows(calls, first)) drop_backtrace_twins(run, first);
  if (!run.wants(Field::launches)) calls.correlation = {};
}

void append_calls(NsysRun& run, std::span<ReportPart> parts) {
  Trace& t = run.trace();
  append_api(run, parts);
  append_table(run, parts, t.os_calls, &ReportPart::os_calls, {&Calls::name});
  append_table(run, parts, t.os_calls, &ReportPart::syscalls, {&Calls::name});
  append_table(run, parts, t.library_calls, &ReportPart::cublas, {&Calls::name});
  append_table(run, parts, t.library_calls, &ReportPart::cudnn, {&Calls::name});
  append_table(run, parts, t.overheads, &ReportPart::profiler_overheads, {&Calls::name});
  append_table(run, parts, t.overheads, &ReportPart::cuda_overheads, {&Calls::name});
  append_table(run, parts, t.graph_events, &ReportPart::graph_events, {&GraphEvents::name});
}

}  // namespace

void append_events(NsysRun& run, std::span<ReportPart> parts) {
  Trace& t = run.trace();
  append_chains_of(run, parts, &ReportPart::api);
  append_chains_of(run, parts, &ReportPart::os_calls);
  append_chains_of(run, parts, &ReportPart::samples);
  append_gpu_work(run, parts);
  append_calls(run, parts);
  std::vector<NvtxPart> ranges;
  for (ReportPart& part : parts) ranges.push_back(std::move(part.ranges));
  append_ranges(run, ranges);
  append_table(run, parts, t.samples, &ReportPart::samples, {});
  append_table(run, parts, t.switches, &ReportPart::switches, {});
  for (ReportPart& part : parts) append_diagnostics(run, part.diagnostics);
}

}  // namespace sonde::nsys
