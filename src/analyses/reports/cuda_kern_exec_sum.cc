#include <algorithm>
#include <numeric>
#include <tuple>

#include "analyses/calls/api_label.h"
#include "analyses/kernels/kernel_caption.h"
#include "analyses/kernels/kernel_launches.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/grouped_values.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"

namespace sonde {

extern const StatsReport cuda_kern_exec_sum_report;

namespace cuda_kern_exec_sum {
namespace {

struct GroupKey {
  ThreadId thread = kNone;
  int32_t device = -1;
  NameId api = kNone;
  KernelCaption kernel;

  friend bool operator==(const GroupKey&, const GroupKey&) = default;
  friend size_t hash_value(const GroupKey& k) {
    size_t seed = hash_value(k.kernel);
    boost::hash_combine(seed, std::tuple(k.thread, k.device, k.api));
    return seed;
  }
};

struct Launches {
  Grouping<GroupKey> groups;
  GroupedValues total, api, queue, kernel;
};

Fields fields(const ReportArguments& arguments) {
  return caption_fields(arguments) | Fields{Field::streams, Field::launches, Field::api};
}

GroupKey key_of(const Trace& trace, Row kernel, const ReportArguments& arguments) {
  const Row call = trace.kernels.launch[kernel];
  return {trace.api.thread[call], trace.stream(trace.kernels.stream[kernel]).ordinal, trace.api.name[call],
          caption_of_kernel(trace, kernel, arguments)};
}

Launches group_launches(const Trace& trace, const ReportArguments& arguments) {
  Launches launches;
  for (Row kernel = 0; kernel < trace.kernels.launch.size(); ++kernel) {
    if (trace.kernels.launch[kernel] == kNone) continue;
    const LaunchPhases phases = phases_of_launch(trace, kernel);
    const uint32_t group = launches.groups.group_of(key_of(trace, kernel, arguments));
    launches.total.add(group, phases.total_ns);
    launches.api.add(group, phases.api_ns);
    if (phases.queue_ns != kUnknown) launches.queue.add(group, phases.queue_ns);
    launches.kernel.add(group, phases.kernel_ns);
  }
  return launches;
}

void add_place(Table& table, const Trace& trace, const std::vector<GroupKey>& groups) {
  auto& pids = table.integers("PID");
  auto& tids = table.integers("TID");
  auto& devices = table.integers("DevId");
  for (const GroupKey& key : groups) {
    pids.push_back(pid_of(trace, key.thread));
    tids.push_back(tid_of(trace, key.thread));
    devices.push_back(key.device);
  }
}

void add_count(Table& table, std::string name, std::span<const Distribution> groups) {
  auto& counts = table.integers(std::move(name));
  for (const Distribution& d : groups) counts.push_back(d.count);
}

void add_names(Table& table, const Trace& trace, const std::vector<GroupKey>& groups) {
  auto& apis = table.texts("API Name");
  auto& kernels = table.texts("Kernel Name");
  for (const GroupKey& key : groups) {
    apis.push_back(api_label(trace.name(key.api)));
    kernels.push_back(caption_text(table, trace, key.kernel));
  }
}

/// The longest mean time from call to kernel's end first, then by kernel.
std::vector<Row> order_of(std::span<const Distribution> total, const Column::Texts& kernels) {
  std::vector<Row> order(total.size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::stable_sort(order, [&](Row a, Row b) {
    if (total[a].mean != total[b].mean) return total[a].mean > total[b].mean;
    return kernels[a] < kernels[b];
  });
  return order;
}

Result<Table> run(const Trace& trace, const ReportArguments& arguments) {
  Table table = table_of(cuda_kern_exec_sum_report);
  const Launches launches = group_launches(trace, arguments);
  const size_t groups = launches.groups.size();
  const auto total = launches.total.distributions(groups);
  const auto queue = launches.queue.distributions(groups);
  add_place(table, trace, launches.groups.keys());
  add_count(table, "Count", total);
  add_count(table, "QCount", queue);
  add_spread(table, "T", total);
  add_spread(table, "A", launches.api.distributions(groups));
  add_spread(table, "Q", queue);
  add_spread(table, "K", launches.kernel.distributions(groups));
  add_names(table, trace, launches.groups.keys());
  table.select_rows(order_of(total, std::get<Column::Texts>(table.columns.back().values)));
  return table;
}

}  // namespace
}  // namespace cuda_kern_exec_sum

const StatsReport cuda_kern_exec_sum_report{
    .name = "cuda_kern_exec_sum",
    .usage = "cuda_kern_exec_sum[:nvtx-name][:base|:mangled]",
    .title = "CUDA Kernel Launch & Exec Time Summary",
    .description =
        R"(Launch, queue and execution time of kernels, by kernel. Kernels whose launching call is not in the recording are
omitted.

  :nvtx-name  the kernel's name prefixed by the innermost range around the launch
  :base       short kernel names
  :mangled    mangled kernel names

PID, TID      process and thread that launched
DevId         CUDA's device number in the process
Count         kernels
QCount        kernels that started after the call returned; only these count in the queue times
TAvg, TMed, TMin, TMax, TStdDev  from the call's start to the later of the call's and the kernel's end
AAvg, AMed, AMin, AMax, AStdDev  the call
QAvg, QMed, QMin, QMax, QStdDev  from the call's end to the kernel's start
KAvg, KMed, KMin, KMax, KStdDev  the kernel
API Name      the launching call
Kernel Name   the kernel

The phases can overlap, so they do not add up to the total. Queue time alone is not a problem: on a GPU that is always
busy, every kernel waits.)",
    .data = "CUDA kernel",
    .in_default_set = false,
    .fields = cuda_kern_exec_sum::fields,
    .run = cuda_kern_exec_sum::run,
};

}  // namespace sonde
