#include "analyses/gpus/nccl_times.h"
#include "analyses/steps/thread_ids.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport nccl_trace_report;

namespace nccl_trace {
namespace {

using Operations = NcclOperations;

Fields fields(const ReportArguments&) {
  return {Field::nccl, Field::kernels, Field::streams, Field::launches, Field::api};
}

int64_t number(int32_t value) { return value == kUnknown32 ? kUnknown : value; }

int64_t number(const std::optional<int>& value) { return value ? *value : kUnknown; }

const Communicator* communicator_of(const Trace& trace, Row row) {
  const uint32_t communicator = trace.nccl_operations.communicator[row];
  return communicator < trace.communicators.size() ? &trace.communicators[communicator] : nullptr;
}

void add_times(Table& table, const Trace& trace, const Times& gpu) {
  const Operations& o = trace.nccl_operations;
  auto& start = table.integers("Start", Unit::nanoseconds);
  auto& host = table.integers("Host Time", Unit::nanoseconds);
  auto& time = table.integers("GPU Time", Unit::nanoseconds);
  for (Row row = 0; row < row_count(o); ++row) {
    start.push_back(o.start[row]);
    host.push_back(time_between(o.start[row], o.end[row]));
    time.push_back(gpu[row]);
  }
}

void add_sizes(Table& table, const Trace& trace, const Times& gpu) {
  const Operations& o = trace.nccl_operations;
  auto& size = table.integers("Size", Unit::bytes);
  auto& count = table.integers("Count");
  auto& algorithm = table.reals("Alg BW", Unit::gigabytes_per_second, 1);
  auto& bus = table.reals("Bus BW", Unit::gigabytes_per_second, 1);
  for (Row row = 0; row < row_count(o); ++row) {
    const Communicator* const communicator = communicator_of(trace, row);
    size.push_back(bytes_of_operation(trace, row));
    count.push_back(o.count[row]);
    algorithm.push_back(algorithm_bandwidth(size.back(), gpu[row]));
    bus.push_back(algorithm.back() * bus_factor_of(trace.name(o.function[row]),
                                                   communicator == nullptr ? kUnknown : number(communicator->ranks)));
  }
}

void add_choices(Table& table, const Trace& trace) {
  const Operations& o = trace.nccl_operations;
  const auto add_names = [&](std::string name, const auto& names) {
    auto& column = table.texts(std::move(name));
    for (Row row = 0; row < row_count(o); ++row) column.push_back(trace.name(names[row]));
  };
  const auto add_numbers = [&](std::string name, const auto& numbers) {
    auto& column = table.integers(std::move(name));
    for (Row row = 0; row < row_count(o); ++row) column.push_back(number(numbers[row]));
  };
  add_names("Function", o.function);
  add_names("Datatype", o.datatype);
  add_names("Algorithm", o.algorithm);
  add_names("Protocol", o.protocol);
  add_numbers("Channels", o.channels);
  add_numbers("Peer", o.peer);
}

void add_places(Table& table, const Trace& trace) {
  const Operations& o = trace.nccl_operations;
  auto& sequence = table.integers("Seq");
  auto& rank = table.integers("Rank");
  auto& ranks = table.integers("Ranks");
  auto& communicator = table.texts("Communicator");
  auto& pid = table.integers("Pid");
  auto& tid = table.integers("Tid");
  for (Row row = 0; row < row_count(o); ++row) {
    const Communicator* const c = communicator_of(trace, row);
    sequence.push_back(o.sequence[row]);
    rank.push_back(c == nullptr ? kUnknown : number(c->rank));
    ranks.push_back(c == nullptr ? kUnknown : number(c->ranks));
    communicator.push_back(c == nullptr ? std::string_view() : table.keep(text_of(trace, *c)));
    pid.push_back(pid_of(trace, o.thread[row]));
    tid.push_back(tid_of(trace, o.thread[row]));
  }
}

std::string_view match_name(uint8_t match) {
  switch (static_cast<NcclMatch>(match)) {
    case NcclMatch::by_launch: return "launch";
    case NcclMatch::by_order: return "order";
    case NcclMatch::none: break;
  }
  return {};
}

void add_kernels(Table& table, const Trace& trace) {
  const Operations& o = trace.nccl_operations;
  auto& graph = table.texts("Graph");
  auto& match = table.texts("Match");
  auto& kernel = table.texts("Kernel");
  for (Row row = 0; row < row_count(o); ++row) {
    graph.push_back(o.captured[row] == 1 ? "yes" : std::string_view());
    match.push_back(match_name(o.match[row]));
    kernel.push_back(o.kernel[row] == kNone ? std::string_view() : trace.name(trace.kernels.name[o.kernel[row]]));
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nccl_trace_report);
  const Times gpu = gpu_times_of_operations(trace);
  add_times(table, trace, gpu);
  add_sizes(table, trace, gpu);
  add_choices(table, trace);
  add_places(table, trace);
  add_kernels(table, trace);
  return table;
}

}  // namespace
}  // namespace nccl_trace

const StatsReport nccl_trace_report{
    .name = "nccl_trace",
    .usage = "nccl_trace",
    .title = "NCCL Operations",
    .description = R"(Each collective, send and receive that NCCL reported to its profiler plugin, in order of time.

Start      time when NCCL reports the operation, which is after the launch of its kernel
Host Time  time until NCCL has handed it to its proxy threads
GPU Time   its kernel's duration if the kernel does nothing else, otherwise the time of its channels; - if unknown
Size       bytes, the larger of input and output, as nccl-tests counts them
Count      elements as NCCL counts them; of an all-gather, a reduce-scatter and an all-to-all, those of one rank
Alg BW     Size / GPU Time
Bus BW     Alg BW times 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter, an all-gather and an all-to-all, 1 for
           others: the bus bandwidth of nccl-tests
Function, Datatype, Algorithm, Protocol, Channels  as NCCL chose them; NCCL counts a broadcast and an all-gather in bytes
Peer       the root of a collective, the other rank of a send or receive
Seq        number of the function's calls in its communicator before this one
Rank, Ranks, Communicator  rank and number of ranks in the communicator, and its hash and name
Pid, Tid   process and thread that reported it
Graph      yes if the call was captured into a CUDA graph
Match      how the kernel was found: launch (NCCL reported the launch itself, from NCCL 2.28 on) or order (the thread's
           last NCCL kernel before the report)
Kernel     the kernel that ran it

GPU Time includes the wait for other ranks, so bandwidths are lower bounds; collective_trace separates the wait if all
ranks were recorded. This report is specific to Sonde.)",
    .data = "NCCL operation (sonde record -t nccl)",
    .in_default_set = false,
    .fields = nccl_trace::fields,
    .run = nccl_trace::run,
};

}  // namespace sonde
