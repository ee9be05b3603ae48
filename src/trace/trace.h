#pragma once

#include <vector>

#include "trace/entities.h"
#include "trace/events.h"
#include "trace/fields.h"
#include "trace/import_log.h"
#include "trace/kernel_profile.h"
#include "trace/nccl_operations.h"
#include "trace/payload_schemas.h"
#include "trace/string_pool.h"

namespace sonde {

/// The innermost push/pop range of one domain around each API call.
struct DomainLinks {
  DomainId domain = kNoDomain;
  Ids of_api;  ///< row of `ranges` for each row of `api`, kNone where no range holds the whole call
};

/// A recorded run: what there is, what happened, and how it hangs together. Filled by an importer, then link()ed once;
/// nothing changes it afterwards. Times are int64 nanoseconds; for one file they are the file's own.
struct Trace {
  Trace() = default;
  Trace(Trace&&) noexcept = default;
  Trace& operator=(Trace&&) noexcept = default;
  Trace& operator=(const Trace&) = delete;
  ~Trace() = default;
  /// All of it once more, for an analysis that changes times.
  [[nodiscard]] Trace copy() const { return *this; }

  StringPool names;
  ImportLog log;
  Fields fields;  ///< what was asked for; a table that is not in it says nothing

  std::vector<Rank> ranks;
  std::vector<Process> processes;
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Stream> streams;
  std::vector<Domain> domains;
  std::vector<Counter> counters;
  std::vector<Collective> collectives;
  std::vector<Communicator> communicators;
  std::vector<Category> categories;
  std::vector<PayloadSchema> payload_schemas;
  CallChains chains;

  Kernels kernels;
  Copies copies;
  Sets sets;
  GraphLaunches graph_launches;
  Syncs syncs;
  Calls api;
  Ranges ranges;
  Marks marks;
  Calls os_calls;
  Calls library_calls;
  Calls overheads;
  Samples samples;
  PythonSamples python_samples;
  Switches switches;
  CounterValues counter_values;
  Allocations allocations;
  PageFaults page_faults;
  CudaEvents cuda_events;
  GraphEvents graph_events;
  NcclOperations nccl_operations;
  Diagnostics diagnostics;

  std::vector<KernelProfile> kernel_profiles;
  std::vector<ProfileSection> profile_sections;
  std::vector<DeviceFunction> device_functions;
  std::vector<DeviceAttribute> device_attributes;

  std::vector<DomainLinks> range_links;  ///< one for each domain that has push/pop ranges; made by link()

  [[nodiscard]] std::string_view name(NameId id) const { return names.view(id); }
  [[nodiscard]] const Stream& stream(StreamId id) const { return streams[id]; }

 private:
  Trace(const Trace&) = default;
};

/// Calls `f(table, name)` for each event table of the trace.
template <typename TraceT, typename F>
void for_each_table(TraceT& t, F&& f) {
  f(t.kernels, "kernels");
  f(t.copies, "copies");
  f(t.sets, "sets");
  f(t.graph_launches, "graph launches");
  f(t.syncs, "synchronizations");
  f(t.api, "API calls");
  f(t.ranges, "ranges");
  f(t.marks, "marks");
  f(t.os_calls, "OS runtime calls");
  f(t.library_calls, "library calls");
  f(t.overheads, "profiler overheads");
  f(t.samples, "CPU samples");
  f(t.python_samples, "Python samples");
  f(t.switches, "context switches");
  f(t.counter_values, "counter values");
  f(t.allocations, "allocations");
  f(t.page_faults, "page faults");
  f(t.cuda_events, "CUDA events");
  f(t.graph_events, "graph events");
  f(t.nccl_operations, "NCCL operations");
  f(t.diagnostics, "diagnostics");
}

/// Calls `f(table)` for each table whose rows occupy a GPU.
template <typename TraceT, typename F>
void for_each_gpu_table(TraceT& t, F&& f) {
  f(t.kernels);
  f(t.copies);
  f(t.sets);
  f(t.graph_launches);
}

}  // namespace sonde
