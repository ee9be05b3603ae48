#pragma once

#include <functional>
#include <string_view>

#include "importers/nsys_sqlite/file.h"

/// Each reads what is wanted of one family of tables into the trace. Tables that are not there are no error.
namespace sonde::nsys {

void read_gpu_work(NsysFile& file);
void read_host_calls(NsysFile& file);
void read_ranges(NsysFile& file);
/// After read_ranges(), whose domains they belong to.
void read_payload_schemas(NsysFile& file);
void read_cpu_activity(NsysFile& file);
/// What NCCL told of its communicators and operations (Sonde's recordings).
void read_nccl(NsysFile& file);
/// Rows that the trace had before this file.
struct EventRows {
  size_t api = 0;
  size_t os_calls = 0;
  size_t samples = 0;
  size_t python_samples = 0;
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
/// Rows of every table that is not a list of names; those of tables that are not read go to the import log.
void count_tables(NsysFile& file, bool (*is_known)(std::string_view table));
/// What the columns of CUPTI's description of a device say: TARGET_INFO_CUDA_GPU of 2021, CUPTI_ACTIVITY_KIND_DEVICE of
/// nvprof. `device_of` gives the device that a row describes, or null.
void read_cupti_device(NsysFile& file, TableQuery& query, const std::function<Device*(RowReader&)>& device_of);

}  // namespace sonde::nsys
