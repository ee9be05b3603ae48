#include <numeric>

#include "importers/nsys/rules.h"
#include "importers/nsys/tables.h"

/// Calls on host threads: CUDA API, OS runtime, libraries, the profiler's own overhead, and creation of CUDA graphs.
namespace sonde::nsys {
namespace {

/// Which of the optional columns of a call are read.
struct CallWants {
  bool correlation = false;
  bool result = false;
  bool nesting = false;
  bool chain = false;
};

/// Appends a table of calls. `fixed` is the class of all rows; without it the row's event class tells.
void read_calls(NsysFile& file, std::string_view table, Calls& calls, CallWants wants, std::optional<CallClass> fixed) {
  TableQuery query = file.query(table);
  if (!query.exists()) return;
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell name = query.column("nameId");
  const Cell thread = query.column("globalTid");
  const Cell event_class = query.column_if(!fixed, "eventClass");
  const Cell correlation = query.column_if(wants.correlation, "correlationId");
  const Cell result = query.column_if(wants.result, "returnValue");
  const Cell nesting = query.column_if(wants.nesting, "nestingLevel");
  const Cell chain = query.column_if(wants.chain, "callchainId");
  file.read_table(query, calls, {&Calls::name}, [&](auto& row, Part<Calls>& part) {
    Calls& c = part.rows;
    row.put(start, c.start, int64_t{0});
    row.put(end, c.end, c.start.back());
    row.put_name(name, c.name);
    c.thread.push_back(row.is_null(thread) ? kNone : part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
    c.call_class.push_back(fixed ? static_cast<uint8_t>(*fixed) : class_of_api(row.integer(event_class, 0)));
    row.put(correlation, c.correlation, 0U);
    row.put(result, c.result, kUnknown);
    row.put(nesting, c.nesting, kUnknown32);
    row.put(chain, c.chain, kNone);
  });
}

/// The calls of the CUDA API. Telling twins needs correlation ids: a file that has them is read once more where those
/// were not asked for.
void read_api_calls(NsysFile& file, CallWants wants) {
  Calls& calls = file.trace().api;
  const size_t first = row_count(calls);
  read_calls(file, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, wants, std::nullopt);
  if (!has_backtrace_rows(calls, first)) return;
  if (!wants.correlation) {
    std::vector<Row> before(first);
    std::iota(before.begin(), before.end(), Row{0});
    select_rows(calls, before);
    file.forget_names(calls.name);
    wants.correlation = true;
    read_calls(file, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, wants, std::nullopt);
  }
  drop_backtrace_twins(file, first);
}

void read_graph_events(NsysFile& file) {
  TableQuery query = file.query("CUDA_GRAPH_EVENTS");
  if (!file.wants(Field::graph_events) || !query.exists()) return;
  const Cell start = query.column("start");
  const Cell end = query.column("end");
  const Cell thread = query.column("globalTid");
  const Cell name = query.column("nameId");
  const Cell event_class = query.column("eventClass");
  const Cell graph = query.column({"graphId", "graphNodeId"});
  const Cell original = query.column({"originalGraphId", "originalGraphNodeId"});
  const Cell executable = query.column("graphExecId");
  file.read_table(query, file.trace().graph_events, {&GraphEvents::name}, [&](auto& row, Part<GraphEvents>& part) {
    row.put(start, part.rows.start, int64_t{0});
    row.put(end, part.rows.end, kUnknown);
    part.rows.thread.push_back(part.threads.id(static_cast<uint64_t>(row.integer(thread, 0))));
    row.put_name(name, part.rows.name);
    row.put(event_class, part.rows.event_class, kUnknown32);
    row.put(graph, part.rows.graph, kUnknown);
    row.put(original, part.rows.original_graph, kUnknown);
    row.put(executable, part.rows.executable, kUnknown);
  });
}

}  // namespace

void read_host_calls(NsysFile& file) {
  Trace& t = file.trace();
  const bool chains = file.wants(Field::call_chains);
  if (file.wants(Field::api)) {
    read_api_calls(
        file, {.correlation = file.wants(Field::launches), .result = file.wants(Field::api_results), .chain = chains});
  }
  if (file.wants(Field::os_calls)) {
    const CallWants wants{.result = true, .nesting = true, .chain = chains};
    read_calls(file, "OSRT_API", t.os_calls, wants, CallClass::os);
    read_calls(file, "SYSCALL", t.os_calls, {}, CallClass::syscall);
  }
  if (file.wants(Field::library_calls)) {
    read_calls(file, "CUBLAS_EVENTS", t.library_calls, {}, CallClass::cublas);
    read_calls(file, "CUDNN_EVENTS", t.library_calls, {}, CallClass::cudnn);
  }
  if (file.wants(Field::overheads)) {
    const CallWants wants{.correlation = file.wants(Field::launches), .result = file.wants(Field::api_results)};
    read_calls(file, "PROFILER_OVERHEAD", t.overheads, wants, CallClass::overhead);
    read_calls(file, "CUPTI_ACTIVITY_KIND_OVERHEAD", t.overheads, wants, CallClass::overhead);
  }
  read_graph_events(file);
}

}  // namespace sonde::nsys
