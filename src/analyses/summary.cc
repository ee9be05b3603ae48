#include "analyses/summary.h"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "analyses/calls/api_groups.h"
#include "analyses/gpus/covered_time.h"
#include "analyses/gpus/gpus.h"
#include "analyses/gpus/operation_names.h"
#include "analyses/gpus/operations_by_start.h"
#include "analyses/measured/kernel_durations.h"
#include "analyses/steps/run_extent.h"
#include "analyses/tables/groups.h"
#include "base/system/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// The operations of one GPU while they are added up.
struct Collected {
  GpuSummary summary;
  CoveredTime kernels, copies, sets, all;
  std::map<uint8_t, CopySummary> directions;
};

std::vector<Collected> without_operations(const Gpus& gpus) {
  std::vector<Collected> collected;
  for (const Gpu& gpu : gpus.gpus) {
    GpuSummary& summary = collected.emplace_back().summary;
    summary.rank = gpu.rank;
    summary.ordinal = gpu.ordinal;
    summary.place = gpu.place;
    summary.name = gpu.name;
  }
  return collected;
}

void add_copy(const Copies& table, Row row, Collected& gpu) {
  const auto [found, added] = gpu.directions.try_emplace(table.kind[row]);
  CopySummary& copies = found->second;
  if (added) copies.direction = copy_direction(table.kind[row]);
  ++copies.count;
  if (table.bytes[row] != kUnknown) copies.bytes = copies.bytes.value_or(0) + table.bytes[row];
  copies.time_ns += table.end[row] - table.start[row];
}

GpuSummary finished(Collected& gpu, int64_t working_ns) {
  GpuSummary& s = gpu.summary;
  s.kernel_ns = gpu.kernels.ns();
  s.copy_ns = gpu.copies.ns();
  s.set_ns = gpu.sets.ns();
  s.busy_ns = gpu.all.ns();
  s.idle_ns = working_ns - s.busy_ns;
  std::tie(s.first_ns, s.last_ns) = gpu.all.extent();
  for (auto& [kind, copies] : gpu.directions) s.copies.push_back(std::move(copies));
  std::ranges::stable_sort(s.copies, std::greater(), &CopySummary::time_ns);
  return std::move(s);
}

std::vector<GpuSummary> summarize_gpus(const Trace& trace, int64_t working_ns) {
  const Gpus gpus = gpus_of(trace);
  std::vector<Collected> collected = without_operations(gpus);
  for_each_operation_by_start(trace, [&](const GpuOps& ops, Row row) {
    Collected& gpu = collected[gpus.of_stream[ops.stream[row]]];
    const Span span{ops.start[row], ops.end[row]};
    gpu.all.add(span);
    if (&ops == &trace.copies) {
      gpu.copies.add(span);
      add_copy(trace.copies, row, gpu);
    } else if (&ops == &trace.sets) {
      gpu.sets.add(span);
      ++gpu.summary.sets;
    } else {
      gpu.kernels.add(span);
      ++(&ops == &trace.kernels ? gpu.summary.kernels : gpu.summary.graph_launches);
    }
  });
  std::vector<GpuSummary> summaries;
  for (Collected& gpu : collected) {
    if (!gpu.all.empty()) summaries.push_back(finished(gpu, working_ns));
  }
  return summaries;
}

/// Distributions of the groups, by total time. `name_of` gives the text of a group's key.
template <typename Key, typename NameOf>
std::vector<NamedSummary> by_total(const Groups<Key>& groups, NameOf&& name_of) {
  std::vector<NamedSummary> named;
  const auto distributions = groups.distributions();
  for (size_t g = 0; g < distributions.size(); ++g) named.push_back({name_of(groups.keys()[g]), distributions[g]});
  std::ranges::sort(named, [](const NamedSummary& a, const NamedSummary& b) {
    return a.time.total != b.time.total ? a.time.total > b.time.total : a.name < b.name;
  });
  return named;
}

void summarize_kernels(const Trace& trace, RunSummary& summary) {
  std::vector<int64_t> durations = kernel_durations(trace);
  if (durations.empty()) return;
  const Kernels& k = trace.kernels;
  Groups<NameId> groups;
  std::vector<int64_t> latencies;
  reserve_column(latencies, row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    groups.add(k.name[row], durations[row]);
    if (!k.launch.empty() && k.launch[row] != kNone) latencies.push_back(k.start[row] - trace.api.start[k.launch[row]]);
  }
  summary.kernel_time = distribution_of(durations);
  if (!latencies.empty()) summary.launch_latency = distribution_of(latencies);
  summary.kernels = by_total(groups, [&](NameId name) { return trace.name(name); });
}

}  // namespace

std::optional<double> CopySummary::bytes_per_s() const {
  if (time_ns <= 0 || !bytes) return std::nullopt;
  return static_cast<double>(*bytes) * 1e9 / static_cast<double>(time_ns);
}

Fields summary_fields() {
  return kMemoryPeakFields |
         Fields{Field::launches, Field::api, Field::syncs, Field::os_calls, Field::library_calls, Field::diagnostics};
}

RunSummary summarize(const Trace& trace) {
  RunSummary summary;
  const Span extent = run_extent(trace);
  summary.start_ns = extent.first;
  summary.total_ns = extent.second - extent.first;
  const Span working = gpu_extent(trace).value_or(extent);
  summary.set_up_ns = working.first - extent.first;
  summary.after_ns = extent.second - working.second;
  run_together({[&] { summary.warm_up = find_warm_up(trace); },
                [&] { summary.gpus = summarize_gpus(trace, summary.working_ns()); },
                [&] { summary.memory = memory_at_peaks(trace); }, [&] { summarize_kernels(trace, summary); },
                [&] { summary.api_calls = by_total(api_calls_by_name(trace), std::identity()); }});
  return summary;
}

}  // namespace sonde
