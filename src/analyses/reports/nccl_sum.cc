#include <algorithm>
#include <compare>
#include <map>
#include <string>

#include "analyses/gpus/nccl_times.h"
#include "analyses/tables/report_table.h"
#include "trace/columns.h"

namespace sonde {

extern const StatsReport nccl_sum_report;

namespace nccl_sum {
namespace {

Fields fields(const ReportArguments&) {
  return {Field::nccl, Field::kernels, Field::streams, Field::launches, Field::api};
}

/// What operations of a row share. Ranks of one communicator are one.
struct Group {
  int64_t hash = 0;
  NameId function = kNone;
  NameId datatype = kNone;
  int64_t bytes = kUnknown;
  NameId algorithm = kNone;
  NameId protocol = kNone;
  int64_t ranks = kUnknown;
  auto operator<=>(const Group&) const = default;
};

struct Counts {
  std::string communicator;
  int64_t operations = 0;
  int64_t gpu_ns = 0;
  std::vector<int64_t> times;  ///< of those whose time is known
};

using Rows = std::vector<std::pair<Group, Counts>>;

Group group_of(const Trace& trace, Row row, std::string& communicator) {
  const NcclOperations& o = trace.nccl_operations;
  Group group{.function = o.function[row],
              .datatype = o.datatype[row],
              .bytes = bytes_of_operation(trace, row),
              .algorithm = o.algorithm[row],
              .protocol = o.protocol[row]};
  if (o.communicator[row] >= trace.communicators.size()) return group;
  const Communicator& c = trace.communicators[o.communicator[row]];
  group.hash = c.hash;
  if (c.ranks) group.ranks = *c.ranks;
  communicator = text_of(trace, c);
  return group;
}

/// Those that took the GPU longest first.
Rows rows_of(const Trace& trace) {
  const Times gpu = gpu_times_of_operations(trace);
  std::map<Group, Counts> groups;
  for (Row row = 0; row < row_count(trace.nccl_operations); ++row) {
    std::string communicator;
    Counts& counts = groups[group_of(trace, row, communicator)];
    counts.communicator = std::move(communicator);
    ++counts.operations;
    if (gpu[row] == kUnknown || size_sum(counts.gpu_ns, gpu[row]) == kUnknown) continue;
    counts.gpu_ns += gpu[row];
    counts.times.push_back(gpu[row]);
  }
  Rows rows(groups.begin(), groups.end());
  for (auto& [group, counts] : rows) std::ranges::sort(counts.times);
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return std::pair(a.second.gpu_ns, a.second.operations) > std::pair(b.second.gpu_ns, b.second.operations);
  });
  return rows;
}

void add_times(Table& table, const Rows& rows) {
  auto& total = table.integers("Total Time", Unit::nanoseconds);
  auto& instances = table.integers("Instances");
  auto& median = table.integers("Med", Unit::nanoseconds);
  auto& least = table.integers("Min", Unit::nanoseconds);
  auto& most = table.integers("Max", Unit::nanoseconds);
  for (const auto& [group, counts] : rows) {
    const bool known = !counts.times.empty();
    total.push_back(known ? counts.gpu_ns : kUnknown);
    instances.push_back(counts.operations);
    median.push_back(known ? counts.times[counts.times.size() / 2] : kUnknown);
    least.push_back(known ? counts.times.front() : kUnknown);
    most.push_back(known ? counts.times.back() : kUnknown);
  }
}

void add_sizes(Table& table, const Trace& trace, const Rows& rows) {
  auto& size = table.integers("Size", Unit::bytes);
  auto& total = table.integers("Total Size", Unit::bytes);
  auto& algorithm = table.reals("Alg BW", Unit::gigabytes_per_second, 1);
  auto& bus = table.reals("Bus BW", Unit::gigabytes_per_second, 1);
  for (const auto& [group, counts] : rows) {
    const auto timed = static_cast<int64_t>(counts.times.size());
    size.push_back(group.bytes);
    total.push_back(size_product(group.bytes, counts.operations));
    algorithm.push_back(algorithm_bandwidth(size_product(group.bytes, timed), counts.gpu_ns));
    bus.push_back(algorithm.back() * bus_factor_of(trace.name(group.function), group.ranks));
  }
}

void add_names(Table& table, const Trace& trace, const Rows& rows) {
  const auto add = [&](std::string name, NameId Group::* field) {
    auto& column = table.texts(std::move(name));
    for (const auto& [group, counts] : rows) column.push_back(trace.name(group.*field));
  };
  add("Function", &Group::function);
  add("Datatype", &Group::datatype);
  add("Algorithm", &Group::algorithm);
  add("Protocol", &Group::protocol);
  auto& ranks = table.integers("Ranks");
  auto& communicator = table.texts("Communicator");
  for (const auto& [group, counts] : rows) {
    ranks.push_back(group.ranks);
    communicator.push_back(table.keep(counts.communicator));
  }
}

Result<Table> run(const Trace& trace, const ReportArguments&) {
  Table table = table_of(nccl_sum_report);
  const Rows rows = rows_of(trace);
  add_times(table, rows);
  add_sizes(table, trace, rows);
  add_names(table, trace, rows);
  return table;
}

}  // namespace
}  // namespace nccl_sum

const StatsReport nccl_sum_report{
    .name = "nccl_sum",
    .usage = "nccl_sum",
    .title = "NCCL Operation Summary",
    .description =
        R"(Collectives, sends and receives that NCCL reported to its profiler plugin, by communicator, function, size and
algorithm; the ranks of a communicator are added.

Total Time  GPU time of the operations whose time is known (see nccl_trace); includes the wait for other ranks
Instances   number of operations
Med, Min, Max  GPU time of one operation
Size        bytes of one operation, the larger of input and output, as nccl-tests counts them
Total Size  Size times Instances
Alg BW      Size / GPU time
Bus BW      Alg BW times 2(n-1)/n for an all-reduce, (n-1)/n for a reduce-scatter, an all-gather and an all-to-all, 1 for
            others: the bus bandwidth of nccl-tests
Function, Datatype, Algorithm, Protocol  as NCCL chose them; NCCL counts a broadcast and an all-gather in bytes
Ranks, Communicator  number of ranks, and the communicator's hash and name

This report is specific to Sonde.)",
    .data = "NCCL operation (sonde record -t nccl)",
    .in_default_set = false,
    .fields = nccl_sum::fields,
    .run = nccl_sum::run,
};

}  // namespace sonde
