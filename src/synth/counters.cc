#include "synth/counters.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde::synth {
namespace {

/// Nsight samples GPU metrics at 10 kHz by default; a tenth of that keeps a long run's counters few.
constexpr int64_t kPeriodNs = 1'000'000;

/// One GPU's operations, in the order of their start.
class Utilization {
 public:
  void add(int64_t start, int64_t end, int64_t dram_percent) {
    start = std::max(start, covered_until_);  // streams overlap: a time counts once
    if (start >= end) return;
    covered_until_ = end;
    reach(static_cast<size_t>(end / kPeriodNs) + 1);
    while (start < end) {
      const int64_t period = start / kPeriodNs;
      const int64_t part = std::min(end, (period + 1) * kPeriodNs) - start;
      busy_ns_[static_cast<size_t>(period)] += part;
      dram_[static_cast<size_t>(period)] += part * dram_percent;
      start += part;
    }
  }
  void reach(size_t periods) {
    if (busy_ns_.size() >= periods) return;
    busy_ns_.resize(periods, 0);
    dram_.resize(periods, 0);
  }
  [[nodiscard]] size_t periods() const { return busy_ns_.size(); }
  [[nodiscard]] int64_t active_percent(size_t period) const { return busy_ns_[period] * 100 / kPeriodNs; }
  [[nodiscard]] int64_t dram_percent(size_t period) const { return dram_[period] / kPeriodNs; }

 private:
  std::vector<int64_t> busy_ns_;
  std::vector<int64_t> dram_;  ///< ns times percent
  int64_t covered_until_ = 0;
};

std::vector<int64_t> dram_by_name(const Program& program, const Trace& trace) {
  std::vector<int64_t> percent(trace.names.size(), 0);
  for (const Kernel& k : program.kernels) {
    const NameId name = trace.names.find(k.name);
    if (name != kNone) percent[name] = k.dram_percent;
  }
  return percent;
}

void put(CounterValues& values, size_t period, size_t counter, int64_t percent) {
  values.start.push_back(static_cast<int64_t>(period + 1) * kPeriodNs);
  values.counter.push_back(static_cast<uint32_t>(counter));
  values.value.push_back(static_cast<double>(percent));
}

}  // namespace

int64_t utilization_rows(const Program& program, int64_t total_ns) {
  constexpr int64_t kCountersOfGpu = 2;
  return total_ns / kPeriodNs * kCountersOfGpu * program.gpus;
}

void add_utilization(const Program& program, Trace& trace) {
  const std::vector<int64_t> dram = dram_by_name(program, trace);
  std::vector<Utilization> gpus(program.gpus);
  const Kernels& k = trace.kernels;
  for (size_t row = 0; row < row_count(k); ++row) {
    gpus[trace.streams[k.stream[row]].device].add(k.start[row], k.end[row], dram[k.name[row]]);
  }
  const GraphLaunches& g = trace.graph_launches;
  constexpr int64_t kGraphDramPercent = 50;
  for (size_t row = 0; row < row_count(g); ++row) {
    gpus[trace.streams[g.stream[row]].device].add(g.start[row], g.end[row], kGraphDramPercent);
  }
  size_t periods = 0;
  for (const Utilization& u : gpus) periods = std::max(periods, u.periods());
  for (Utilization& u : gpus) u.reach(periods);
  for (size_t period = 0; period < periods; ++period) {
    for (size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      put(trace.counter_values, period, 2 * gpu, gpus[gpu].active_percent(period));
      put(trace.counter_values, period, 2 * gpu + 1, gpus[gpu].dram_percent(period));
    }
  }
}

}  // namespace sonde::synth
