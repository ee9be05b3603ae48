#pragma once

#include "importers/nsys_sqlite/file.h"

/// Each reads what is wanted of one family of tables into the trace. Tables that are not there are no error.
namespace sonde::nsys {

void read_gpu_work(NsysFile& file);
void read_host_calls(NsysFile& file);
void read_ranges(NsysFile& file);
/// After read_ranges(), whose domains they belong to.
void read_payload_schemas(NsysFile& file);
void read_cpu_activity(NsysFile& file);
/// Rows that the trace had before this file.
struct EventRows {
  size_t api = 0;
  size_t os_calls = 0;
  size_t samples = 0;
};

/// Reads the chains and gives those of the rows from `first` on their ids.
void read_call_chains(NsysFile& file, const EventRows& first);
void read_counters(NsysFile& file);
void read_memory(NsysFile& file);
void read_diagnostics(NsysFile& file);
/// The processes whose kernels were measured; before read_entities(), which names them.
void read_measured_processes(NsysFile& file);
/// What a kernel profiler measured; after read_entities(), whose GPUs it names.
void read_kernel_profiles(NsysFile& file);
/// Puts metrics in the order of their names, when those are resolved.
void order_metrics(NsysFile& file);

/// After all events: the names of their processes and threads, the GPUs, and which stream runs on which.
void read_entities(NsysFile& file);
/// What the file is, when it was recorded, what it holds.
void read_source(NsysFile& file);

}  // namespace sonde::nsys
