#include <algorithm>

#include <fmt/format.h>

#include "analyses/gpus/collectives.h"
#include "analyses/tables/report_table.h"

namespace sonde {

extern const StatsReport collective_trace_report;

namespace collective_trace {
namespace {

Fields fields(const ReportArguments&) {
  return kGpuWork | Fields{Field::streams, Field::kernel_resources, Field::launches,
                           Field::api,     Field::ranges,           Field::range_links};
}

/// Bytes a nanosecond are gigabytes a second. Unknown where sizes are, or where participants are missing: who came
/// last is not known then.
double algorithm_bandwidth(const MatchedCollective& c) {
  const int64_t ns = c.transfer_ns();
  if (c.bytes == kUnknown || !c.complete() || ns <= 0) return kAbsent;
  return static_cast<double>(c.bytes) / static_cast<double>(ns);
}

void add_times(Table& table, const std::vector<MatchedCollective>& all) {
  auto& start = table.integers("Start", Unit::nanoseconds);
  auto& duration = table.integers("Duration", Unit::nanoseconds);
  auto& transfer = table.integers("Transfer", Unit::nanoseconds);
  auto& spread = table.integers("Entry Spread", Unit::nanoseconds);
  for (const MatchedCollective& c : all) {
    start.push_back(c.first_entry_ns());
    duration.push_back(c.one_clock ? c.end_ns() - c.first_entry_ns() : kUnknown);
    transfer.push_back(c.complete() ? c.transfer_ns() : kUnknown);
    spread.push_back(c.one_clock ? c.last().entry_ns - c.first_entry_ns() : kUnknown);
  }
}

void add_sizes(Table& table, const std::vector<MatchedCollective>& all) {
  auto& bytes = table.integers("Size", Unit::bytes);
  auto& algorithm = table.reals("Alg BW", Unit::gigabytes_per_second, 1);
  auto& bus = table.reals("Bus BW", Unit::gigabytes_per_second, 1);
  for (const MatchedCollective& c : all) {
    bytes.push_back(c.bytes);
    algorithm.push_back(algorithm_bandwidth(c));
    bus.push_back(algorithm.back() * bus_factor(c.kind, c.group_size));
  }
}

void add_names(Table& table, const Trace& trace, const Gpus& gpus, const std::vector<MatchedCollective>& all) {
  auto& participants = table.texts("Participants");
  auto& last = table.texts("Last");
  auto& kind = table.texts("Operation");
  auto& group = table.texts("Group");
  auto& name = table.texts("Name");
  for (const MatchedCollective& c : all) {
    const std::string size = c.group_size == kUnknown ? "?" : fmt::format("{}", c.group_size);
    participants.push_back(table.keep(fmt::format("{} of {}", c.participants.size(), size)));
    last.push_back(c.one_clock ? table.keep(gpus.gpus[c.last().gpu].place) : std::string_view());
    kind.push_back(name_of(c.kind));
    group.push_back(c.group == kNone ? std::string_view() : trace.name(c.group));
    name.push_back(c.name == kNone ? std::string_view() : trace.name(c.name));
  }
}

/// Only a recording with NCCL's own report has them.
void add_algorithms(Table& table, const Trace& trace, const std::vector<MatchedCollective>& all) {
  if (std::ranges::all_of(all, [](const auto& c) { return c.algorithm == kNone; })) return;
  auto& column = table.texts("Algorithm");
  for (const MatchedCollective& c : all) {
    const bool known = c.algorithm != kNone && c.protocol != kNone;
    column.push_back(known ? table.keep(fmt::format("{} {}", trace.name(c.algorithm), trace.name(c.protocol)))
                           : std::string_view());
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  const Gpus gpus = gpus_of(trace);
  const Collectives collectives = match_collectives(trace, gpus, communication_kinds(trace));
  Table table = table_of(collective_trace_report);
  add_times(table, collectives.all);
  add_sizes(table, collectives.all);
  add_algorithms(table, trace, collectives.all);
  add_names(table, trace, gpus, collectives.all);
  if (collectives.unmatched > 0) {
    table.note = fmt::format("{} communication kernels have no counterpart on another GPU of this profile.",
                             collectives.unmatched);
  }
  return table;
}

}  // namespace
}  // namespace collective_trace

const StatsReport collective_trace_report{
    .name = "collective_trace",
    .usage = "collective_trace",
    .title = "Collectives over GPUs",
    .description = R"(Each collective whose kernels were found on at least two GPUs, in order of time.

Start         time when the first GPU enters (its kernel starts)
Duration      from Start until the last kernel ends
Transfer      the part of Duration after the last entry; data can move only after all GPUs have entered
Entry Spread  the part of Duration before it, from the first entry to the last
Size          bytes, the larger of input and output, as nccl-tests counts them
Alg BW        Size / Transfer
Bus BW        Alg BW times 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter, an all-gather and an all-to-all, 1 for
              others: the bus bandwidth of nccl-tests, to be compared with the link's bandwidth
Algorithm     NCCL's algorithm and protocol, if a rank was recorded with -t nccl
Participants  participating GPUs of the profile, and the size of the group; ? if ranks are missing and the group is unknown
Last          the GPU that entered last; all others waited for it
Operation     all_reduce, reduce_scatter, all_gather, broadcast, reduce, all_to_all, send_receive or other
Group         the process group, if the framework records it
Name          the framework's name of the collective, otherwise the kernel's name

Kernels are matched in order by process group, collective and size if these are recorded, otherwise by name. If
participants are missing from the profile, the last entry is unknown and Transfer is empty. Ranks without a common clock
have no Entry Spread and no Last; their Transfer is the shortest kernel, which is the kernel of the last rank to enter.
Sends and receives that are not described are matched between two GPUs only. This report is specific to Sonde.)",
    .data = "collective",
    .in_default_set = false,
    .fields = collective_trace::fields,
    .run = collective_trace::run,
};

}  // namespace sonde
