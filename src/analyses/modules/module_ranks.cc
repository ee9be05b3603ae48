#include "analyses/modules/module_ranks.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "analyses/gpus/gpus.h"
#include "analyses/modules/module_sums.h"

namespace sonde {
namespace {

struct RunRanks {
  std::vector<std::string> names;        ///< "rank 3", "GPU 0"
  std::vector<uint32_t> of_stream = {};  ///< for each stream of the trace
};

RunRanks ranks_of(const Trace& trace) {
  RunRanks ranks;
  if (trace.ranks.size() < 2) {
    const Gpus gpus = gpus_of(trace);
    for (const Gpu& gpu : gpus.gpus) ranks.names.push_back(gpu.place);
    ranks.of_stream = gpus.of_stream;
    return ranks;
  }
  for (RankId r = 0; r < trace.ranks.size(); ++r) {
    ranks.names.push_back(fmt::format("rank {}", trace.ranks[r].rank.value_or(static_cast<int>(r))));
  }
  for (const Stream& stream : trace.streams) ranks.of_stream.push_back(trace.processes[stream.process].rank);
  return ranks;
}

/// Device time of each rank, for each row of the table.
std::vector<std::vector<int64_t>> times_of(const Trace& trace, const ModuleTree& tree, const RunRanks& ranks,
                                           const std::vector<std::vector<uint32_t>>& modules_of_row) {
  ModuleSums sums(tree, ranks.names.size());
  sums.add_operations(trace, [&](const GpuOps& ops, Row row) { return ranks.of_stream[ops.stream[row]]; });
  std::vector<std::vector<int64_t>> times;
  for (const auto& modules : modules_of_row) {
    std::vector<int64_t>& row = times.emplace_back(ranks.names.size(), 0);
    for (const uint32_t module : modules) {
      const auto of_module = sums.of(module);
      for (size_t r = 0; r < row.size(); ++r) row[r] += of_module[r];
    }
  }
  return times;
}

}  // namespace

void add_rank_columns(Table& table, const Trace& trace, const ModuleTree& tree,
                      const std::vector<std::vector<uint32_t>>& modules_of_row) {
  const RunRanks ranks = ranks_of(trace);
  if (ranks.names.size() < 2) return;
  const auto times = times_of(trace, tree, ranks, modules_of_row);
  auto& mean = table.reals("Rank Avg", Unit::nanoseconds, 1);
  auto& least = table.integers("Rank Min", Unit::nanoseconds);
  auto& most = table.integers("Rank Max", Unit::nanoseconds);
  auto& whose = table.texts("Max Rank");
  for (const auto& row : times) {
    const auto [min, max] = std::ranges::minmax_element(row);
    const auto sum = static_cast<double>(std::accumulate(row.begin(), row.end(), int64_t{0}));
    mean.push_back(sum / static_cast<double>(row.size()));
    least.push_back(*min);
    most.push_back(*max);
    const auto largest = static_cast<size_t>(std::ranges::max_element(row) - row.begin());
    whose.push_back(*max == 0 ? std::string_view() : table.keep(ranks.names[largest]));
  }
  for (size_t r = 0; r < ranks.names.size(); ++r) {
    auto& column = table.integers(fmt::format("Device {}", ranks.names[r]), Unit::nanoseconds);
    for (const auto& row : times) column.push_back(row[r]);
  }
}

}  // namespace sonde
