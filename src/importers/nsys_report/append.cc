#include "importers/nsys_report/events.h"

/// The rows of a report into the trace: table by table in the order in which the SQLite export is read, so that
/// processes, threads and streams get the same ids from both.
namespace sonde::nsys {
namespace {

template <typename Table, typename PartT>
void append_table(NsysRun& run, PartT& part, Table& table, std::initializer_list<Ids Table::*> name_columns) {
  const IdMap ids = run.adopt(part);
  run.append(std::move(part.rows), ids, table, name_columns);
  part = {};
}

/// The chains of one table, whose rows are not in the trace yet.
void append_chains_of(NsysRun& run, auto& part) {
  CallChains& all = run.trace().chains;
  const size_t first_frame = all.symbol.size();
  place_chains(part.rows.chain, all);
  append_chains(all, part.chains);
  part.chains = {};
  run.names_from(all.symbol, first_frame);
  run.names_from(all.module, first_frame);
}

void append_gpu_work(NsysRun& run, ReportPart& events) {
  Trace& t = run.trace();
  append_table(run, events.kernels, t.kernels, {&Kernels::name, &Kernels::short_name, &Kernels::mangled_name});
  append_table(run, events.copies, t.copies, {});
  append_table(run, events.sets, t.sets, {});
  append_table(run, events.graph_launches, t.graph_launches, {});
  append_table(run, events.syncs, t.syncs, {});
  append_table(run, events.cuda_events, t.cuda_events, {});
}

void append_api(NsysRun& run, ReportPart& events) {
  Calls& calls = run.trace().api;
  const size_t first = row_count(calls);
  append_table(run, events.api, calls, {&Calls::name});
  if (has_backtrace_rows(calls, first)) drop_backtrace_twins(run, first);
  if (!run.wants(Field::launches)) calls.correlation = {};
}

void append_calls(NsysRun& run, ReportPart& events) {
  Trace& t = run.trace();
  append_api(run, events);
  append_table(run, events.os_calls, t.os_calls, {&Calls::name});
  append_table(run, events.syscalls, t.os_calls, {&Calls::name});
  append_table(run, events.cublas, t.library_calls, {&Calls::name});
  append_table(run, events.cudnn, t.library_calls, {&Calls::name});
  append_table(run, events.profiler_overheads, t.overheads, {&Calls::name});
  append_table(run, events.cuda_overheads, t.overheads, {&Calls::name});
  append_table(run, events.graph_events, t.graph_events, {&GraphEvents::name});
}

}  // namespace

void append_events(NsysRun& run, ReportPart& events) {
  append_chains_of(run, events.api);
  append_chains_of(run, events.os_calls);
  append_chains_of(run, events.samples);
  append_gpu_work(run, events);
  append_calls(run, events);
  append_ranges(run, std::span(&events.ranges, 1));
  append_table(run, events.samples, run.trace().samples, {});
  append_table(run, events.switches, run.trace().switches, {});
  append_diagnostics(run, events.diagnostics);
}

}  // namespace sonde::nsys
