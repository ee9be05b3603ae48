#include <algorithm>

#include "analyses/calls/call_chain_text.h"
#include "analyses/calls/library_calls.h"
#include "analyses/gpus/gpu_shares.h"
#include "analyses/tables/groups.h"
#include "analyses/tables/report_table.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport library_call_sum_report;

namespace library_call_sum {
namespace {

Fields fields(const ReportArguments&) {
  return kGpuWork |
         Fields{Field::streams, Field::launches, Field::api, Field::ranges, Field::library_calls, Field::call_chains};
}

/// What the calls of one function put on GPUs.
struct Launched {
  int64_t device_ns = 0;
  int64_t operations = 0;
};

using Key = std::pair<std::string_view, NameId>;

struct Functions {
  Groups<Key> durations;
  std::vector<uint32_t> of_call;
  std::vector<Launched> launched;
  std::vector<TopChain> chains;
};

Functions functions_of(const LibraryCalls& all) {
  Functions functions;
  Grouping<Key> groups;
  for (const LibraryCall& call : all.calls) {
    const Key key{call.library, call.name};
    functions.durations.add(key, call.end - call.start);
    functions.of_call.push_back(groups.group_of(key));
    functions.chains.resize(groups.size());
    functions.chains[functions.of_call.back()].add(call.chain, call.end - call.start);
  }
  functions.launched.resize(groups.size());
  return functions;
}

void add_launched(const Trace& trace, const LibraryCalls& all, Functions& functions) {
  const GpuShares shares = share_gpu_time(trace, gpus_of(trace));
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const Longs& share = shares.of(trace, ops);
    for (Row row = 0; row < row_count(ops); ++row) {
      const uint32_t call = ops.launch[row] == kNone ? kNone : all.of_api[ops.launch[row]];
      if (call == kNone) continue;
      Launched& launched = functions.launched[functions.of_call[call]];
      launched.device_ns += share[row];
      ++launched.operations;
    }
  });
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(library_call_sum_report);
  const LibraryCalls all = library_calls(trace);
  Functions functions = functions_of(all);
  add_launched(trace, all, functions);
  const auto figures = functions.durations.distributions();
  add_time_summary(table, figures, "Num Calls");
  auto& device = table.integers("Device Time", Unit::nanoseconds);
  auto& operations = table.integers("GPU Ops");
  auto& library = table.texts("Library");
  auto& name = table.texts("Name");
  auto& chain = table.texts("Back Trace");
  for (size_t f = 0; f < figures.size(); ++f) {
    const auto& [of_library, id] = functions.durations.keys()[f];
    device.push_back(functions.launched[f].device_ns);
    operations.push_back(functions.launched[f].operations);
    library.push_back(of_library);
    name.push_back(id == kNone ? std::string_view("") : trace.name(id));
    const std::string text = functions.chains[f].text(trace);
    chain.push_back(text.empty() ? std::string_view() : table.keep(text));
  }
  table.select_rows(order_by_total(figures, name));
  return table;
}

}  // namespace
}  // namespace library_call_sum

const StatsReport library_call_sum_report{
    .name = "library_call_sum",
    .usage = "library_call_sum",
    .title = "Library Call Summary",
    .description = R"(Calls of cuBLAS, cuDNN, NCCL and other libraries: host time, and the GPU work that they launch.

Time (%)     share of the sum of Total Time, not of the run's wall time
Total Time   time of the threads in all calls; a nested call counts in both
Num Calls    number of calls
Avg, Med, Min, Max, StdDev  of the duration of one
Device Time  time of the operations launched within the call, each assigned to the innermost library call around its launch.
             If n operations of a GPU run at the same time, each gets 1/n of it, as in `sonde modules`
GPU Ops      number of these operations: kernels, copies, memsets and graph launches
Library      name of the traced library, or the NVTX domain of its ranges (NCCL, CCCL, MPI, UCX, NVSHMEM, TensorRT...)
Name         the function
Back Trace   the call stack with the most time, innermost frame first: of the call, or of the first CUDA call in it that
             has one (nsys: --cudabacktrace)

This report is specific to Sonde.)",
    .data = "library call (nsys: --trace=cublas,cudnn,nvtx)",
    .in_default_set = false,
    .fields = library_call_sum::fields,
    .run = library_call_sum::run,
};

}  // namespace sonde
