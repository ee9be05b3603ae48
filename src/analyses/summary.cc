#include "analyses/summary.h"

#include <algorithm>
#include <functional>
#include <map>

#include "analyses/calls/api_groups.h"
#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "analyses/gpus/operation_names.h"
#include "analyses/steps/run_extent.h"
#include "analyses/tables/groups.h"
#include "base/system/parallel.h"
#include "trace/columns.h"

namespace sonde {
namespace {

/// The operations of one GPU while they are added up.
struct Collected {
  GpuSummary summary;
  std::vector<Span> kernels, copies, sets;
  std::map<uint8_t, CopySummary> directions;
};

/// The GPUs of the run while operations are added up.
class Collector {
 public:
  explicit Collector(const Trace& trace) : gpus_(gpus_of(trace)) {
    for (const Gpu& gpu : gpus_.gpus) {
      GpuSummary& summary = collected_.emplace_back().summary;
      summary.rank = gpu.rank;
      summary.ordinal = gpu.ordinal;
      summary.place = gpu.place;
      summary.name = gpu.name;
    }
    const std::vector<size_t> counts = operation_count_by_gpu(trace, gpus_);
    for (size_t gpu = 0; gpu < counts.size(); ++gpu) reserve_column(collected_[gpu].kernels, counts[gpu]);
  }

  template <typename Ops, typename Add>
  void collect(const Ops& ops, Add&& add) {
    for (Row row = 0; row < row_count(ops); ++row) {
      Collected& gpu = collected_[gpus_.of_stream[ops.stream[row]]];
      add(gpu, row, Span{ops.start[row], ops.end[row]});
    }
  }

  std::vector<GpuSummary> finish(int64_t working_ns) {
    std::vector<GpuSummary> summaries;
    for (Collected& gpu : collected_) {
      GpuSummary& s = gpu.summary;
      s.kernel_ns = union_ns(gpu.kernels);
      s.copy_ns = union_ns(gpu.copies);
      s.set_ns = union_ns(gpu.sets);
      std::vector<Span>& all = gpu.kernels;
      for (const auto* others : {&gpu.copies, &gpu.sets}) all.insert(all.end(), others->begin(), others->end());
      if (all.empty()) continue;
      s.busy_ns = union_ns(all);
      s.idle_ns = working_ns - s.busy_ns;
      s.first_ns = all.front().first;
      s.last_ns = all.back().second;
      for (auto& [kind, copies] : gpu.directions) s.copies.push_back(std::move(copies));
      std::ranges::stable_sort(s.copies, std::greater(), &CopySummary::time_ns);
      summaries.push_back(std::move(s));
    }
    return summaries;
  }

 private:
  Gpus gpus_;
  std::vector<Collected> collected_;
};

std::vector<GpuSummary> summarize_gpus(const Trace& trace, int64_t working_ns) {
  Collector gpus(trace);
  gpus.collect(trace.kernels, [](Collected& gpu, Row, Span span) {
    ++gpu.summary.kernels;
    gpu.kernels.push_back(span);
  });
  gpus.collect(trace.graph_launches, [](Collected& gpu, Row, Span span) {
    ++gpu.summary.graph_launches;
    gpu.kernels.push_back(span);
  });
  gpus.collect(trace.sets, [](Collected& gpu, Row, Span span) {
    ++gpu.summary.sets;
    gpu.sets.push_back(span);
  });
  gpus.collect(trace.copies, [&](Collected& gpu, Row row, Span span) {
    gpu.copies.push_back(span);
    const uint8_t kind = trace.copies.kind[row];
    const auto [found, added] = gpu.directions.try_emplace(kind);
    CopySummary& copies = found->second;
    if (added) copies.direction = copy_direction(kind);
    ++copies.count;
    if (trace.copies.bytes[row] != kUnknown) copies.bytes = copies.bytes.value_or(0) + trace.copies.bytes[row];
    copies.time_ns += span.second - span.first;
  });
  return gpus.finish(working_ns);
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
  const Kernels& k = trace.kernels;
  if (row_count(k) == 0) return;
  Groups<NameId> groups;
  std::vector<int64_t> durations;
  std::vector<int64_t> latencies;
  reserve_column(durations, row_count(k));
  reserve_column(latencies, row_count(k));
  for (Row row = 0; row < row_count(k); ++row) {
    durations.push_back(k.end[row] - k.start[row]);
    groups.add(k.name[row], durations.back());
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
  return kGpuWork | Fields{Field::streams,     Field::launches, Field::api,           Field::syncs,      Field::ranges,
                           Field::range_links, Field::os_calls, Field::library_calls, Field::diagnostics};
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
                [&] { summarize_kernels(trace, summary); },
                [&] { summary.api_calls = by_total(api_calls_by_name(trace), std::identity()); }});
  return summary;
}

}  // namespace sonde
