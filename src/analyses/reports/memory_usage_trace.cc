#include <algorithm>

#include "analyses/gpus/memory_use.h"
#include "analyses/gpus/unified_memory.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport memory_usage_trace_report;

namespace memory_usage_trace {
namespace {

Fields fields(const ReportArguments&) { return kGpuWork | Fields{Field::streams, Field::allocations}; }

/// An event in the place where it happened.
struct Event {
  size_t use;
  size_t index;  ///< of the use's events
  Row row;       ///< of `allocations`
};

std::vector<Event> events_of(const std::vector<MemoryUse>& uses) {
  std::vector<Event> events;
  for (size_t u = 0; u < uses.size(); ++u) {
    for (size_t i = 0; i < uses[u].row.size(); ++i) events.push_back({u, i, uses[u].row[i]});
  }
  std::ranges::sort(events, {}, &Event::row);
  return events;
}

void add_numbers(Table& table, const Allocations& a, const std::vector<MemoryUse>& uses,
                 const std::vector<Event>& events) {
  auto& start = table.integers("Start", Unit::nanoseconds);
  auto& change = table.integers("Change", Unit::bytes);
  auto& in_use = table.integers("In Use", Unit::bytes);
  auto& reserved = table.integers("Reserved", Unit::bytes);
  for (const Event& e : events) {
    const MemoryUse& use = uses[e.use];
    const int64_t bytes = use.bytes[e.index];
    start.push_back(a.start[e.row]);
    change.push_back(bytes - (e.index == 0 ? use.start_bytes : use.bytes[e.index - 1]));
    in_use.push_back(bytes);
    reserved.push_back(a.reserved_bytes.empty() ? kUnknown : a.reserved_bytes[e.row]);
  }
}

void add_places(Table& table, const Trace& trace, const std::vector<MemoryUse>& uses,
                const std::vector<Event>& events) {
  const Allocations& a = trace.allocations;
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  auto& operation = table.texts("Operation");
  auto& memory = table.texts("Memory");
  auto& gpu = table.texts("GPU");
  std::vector<std::string_view> gpus(uses.size());
  for (size_t u = 0; u < uses.size(); ++u) {
    if (!uses[u].gpu.empty()) gpus[u] = table.keep(uses[u].gpu);
  }
  for (const Event& e : events) {
    const bool allocates = a.kind[e.row] == static_cast<uint8_t>(AllocationKind::allocate);
    pid.push_back(trace.processes[a.process[e.row]].pid);
    tid.push_back(a.thread.empty() ? kUnknown : tid_of(trace, a.thread[e.row]));
    operation.emplace_back(allocates ? "Allocation" : "Deallocation");
    memory.push_back(name_of(uses[e.use].place));
    gpu.push_back(gpus[e.use]);
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(memory_usage_trace_report);
  const std::vector<MemoryUse> uses = memory_uses(trace);
  const std::vector<Event> events = events_of(uses);
  const Allocations& a = trace.allocations;
  add_numbers(table, a, uses, events);
  add_places(table, trace, uses, events);
  auto& address = table.texts("Address");
  auto& name = table.texts("Name");
  for (const Event& e : events) {
    const bool known = !a.address.empty() && a.address[e.row] != kUnknown;
    address.push_back(known ? table.keep(address_text(a.address[e.row])) : std::string_view());
    name.push_back(a.name.empty() || a.name[e.row] == kNone ? std::string_view() : trace.name(a.name[e.row]));
  }
  return table;
}

}  // namespace
}  // namespace memory_usage_trace

const StatsReport memory_usage_trace_report{
    .name = "memory_usage_trace",
    .usage = "memory_usage_trace",
    .title = "Memory Usage Trace",
    .description = R"(Every allocation and free of memory in order of time, with the memory in use after it.

Start          time of the event
Change         change of the memory in use
In Use         memory in use after the event, of all processes (see `memory_usage_sum`)
Reserved       memory that PyTorch's allocator reserved from the driver
Pid, Tid       process and thread; - if the source does not record the thread
Operation      Allocation or Deallocation
Memory, GPU    kind of memory and GPU (see `memory_usage_sum`)
Address        address of the block
Name           name of the variable, if it has one

This report is specific to Sonde.)",
    .data = "memory usage (nsys: --cuda-memory-usage=true, torch.profiler: profile_memory=True)",
    .in_default_set = false,
    .fields = memory_usage_trace::fields,
    .run = memory_usage_trace::run,
};

}  // namespace sonde
