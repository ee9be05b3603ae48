#include <algorithm>

#include <fmt/format.h>

#include "analyses/calls/api_label.h"
#include "analyses/kernels/kernel_caption.h"
#include "analyses/kernels/kernel_launches.h"
#include "analyses/kernels/launch_shape.h"
#include "analyses/ranges/range_columns.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport cuda_kern_exec_trace_report;

namespace cuda_kern_exec_trace {
namespace {

Fields fields(const ReportArguments& arguments) {
  return caption_fields(arguments) | Fields{Field::streams, Field::launches, Field::api} | Fields{Field::kernel_grid};
}

std::vector<Row> launched_kernels(const Trace& trace) {
  const Ids& launch = trace.kernels.launch;
  std::vector<Row> rows;
  for (Row kernel = 0; kernel < launch.size(); ++kernel) {
    if (launch[kernel] != kNone) rows.push_back(kernel);
  }
  std::ranges::stable_sort(rows, {}, [&](Row kernel) { return trace.api.start[launch[kernel]]; });
  return rows;
}

int64_t queue_start(const LaunchPhases& phases) {
  return phases.queue_ns == kUnknown ? kUnknown : phases.api_start + phases.api_ns;
}

void add_phases(Table& table, const Trace& trace, const std::vector<Row>& rows) {
  const auto add = [&](std::string name, auto value) {
    add_column(table, std::move(name), Unit::nanoseconds, rows,
               [&](Row kernel) { return value(phases_of_launch(trace, kernel)); });
  };
  add("API Start", [](const LaunchPhases& p) { return p.api_start; });
  add("API Dur", [](const LaunchPhases& p) { return p.api_ns; });
  add("Queue Start", queue_start);
  add("Queue Dur", [](const LaunchPhases& p) { return p.queue_ns; });
  add_column(table, "Kernel Start", Unit::nanoseconds, rows, [&](Row kernel) { return trace.kernels.start[kernel]; });
  add("Kernel Dur", [](const LaunchPhases& p) { return p.kernel_ns; });
  add("Total Dur", [](const LaunchPhases& p) { return p.total_ns; });
}

void add_place(Table& table, const Trace& trace, const std::vector<Row>& rows) {
  const auto thread = [&](Row kernel) { return trace.api.thread[trace.kernels.launch[kernel]]; };
  add_column(table, "PID", Unit::none, rows, [&](Row kernel) { return pid_of(trace, thread(kernel)); });
  add_column(table, "TID", Unit::none, rows, [&](Row kernel) { return tid_of(trace, thread(kernel)); });
  add_column(table, "DevId", Unit::none, rows,
             [&](Row kernel) { return int64_t{trace.stream(trace.kernels.stream[kernel]).ordinal}; });
}

/// Grids or blocks of the kernels; equal ones share a text.
void add_dimensions(Table& table, std::string name, const std::vector<Dim3>& dimensions, const std::vector<Row>& rows) {
  Grouping<Dim3> distinct;
  std::vector<std::string_view> texts;
  auto& column = table.texts(std::move(name));
  for (const Row kernel : rows) {
    const Dim3& d = dimensions[kernel];
    const uint32_t group = distinct.group_of(d);
    if (group == texts.size()) texts.push_back(shape_cell(table, d));
    column.push_back(texts[group]);
  }
}

void add_kernels(Table& table, const Trace& trace, const std::vector<Row>& rows, const ReportArguments& arguments) {
  Grouping<KernelCaption> captions;
  std::vector<std::string_view> texts;
  auto& column = table.texts("Kernel Name");
  for (const Row kernel : rows) {
    const KernelCaption caption = caption_of_kernel(trace, kernel, arguments);
    const uint32_t group = captions.group_of(caption);
    if (group == texts.size()) texts.push_back(caption_text(table, trace, caption));
    column.push_back(texts[group]);
  }
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(cuda_kern_exec_trace_report);
  const std::vector<Row> rows = launched_kernels(trace);
  add_phases(table, trace, rows);
  add_place(table, trace, rows);
  auto& apis = table.texts("API Function");
  for (const Row kernel : rows) apis.push_back(api_label(trace.name(trace.api.name[trace.kernels.launch[kernel]])));
  add_dimensions(table, "GridXYZ", trace.kernels.grid, rows);
  add_dimensions(table, "BlockXYZ", trace.kernels.block, rows);
  add_kernels(table, trace, rows, arguments);
  return table;
}

}  // namespace
}  // namespace cuda_kern_exec_trace

const StatsReport cuda_kern_exec_trace_report{
    .name = "cuda_kern_exec_trace",
    .usage = "cuda_kern_exec_trace[:nvtx-name][:base|:mangled]",
    .title = "CUDA Kernel Launch & Exec Time Trace",
    .description =
        R"(Launch, queue and execution time of each kernel. Kernels whose launching call is not in the recording are omitted.

  :nvtx-name  the kernel's name prefixed by the innermost range around the launch
  :base       short kernel names
  :mangled    mangled kernel names

API Start, API Dur      the launching call
Queue Start, Queue Dur  from the call's end to the kernel's start; absent if the kernel started before the call ended
Kernel Start, Kernel Dur  the kernel
Total Dur     from the call's start to the later of the call's and the kernel's end
PID, TID      process and thread that launched
DevId         CUDA's device number in the process
API Function  the launching call
GridXYZ, BlockXYZ  blocks per grid, threads per block
Kernel Name   the kernel)",
    .data = "CUDA kernel",
    .in_default_set = false,
    .fields = cuda_kern_exec_trace::fields,
    .run = cuda_kern_exec_trace::run,
};

}  // namespace sonde
