#include "analyses/kernels/counter_means.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trace/rows_by_thread.h"

namespace sonde {
namespace {

/// A counter names its GPU by the source's number of the device; a source without devices by CUDA's.
bool is_on(const Trace& trace, const Counter& counter, const Gpu& gpu) {
  if (!counter.device || gpu.rank != counter.rank) return false;
  return *counter.device == (gpu.device == kNone ? gpu.ordinal : trace.devices[gpu.device].id);
}

}  // namespace

CounterIntegral& CounterIntegral::operator+=(const CounterIntegral& other) {
  weighted += other.weighted;
  covered_ns += other.covered_ns;
  return *this;
}

std::optional<double> CounterIntegral::mean() const {
  if (covered_ns == 0) return std::nullopt;
  return weighted / static_cast<double>(covered_ns);
}

CounterSeries::CounterSeries(const CounterValues& values, std::span<const Row> rows, bool sampled) {
  border_.reserve(rows.size());
  value_.reserve(rows.size());
  for (const Row row : rows) border_.push_back(values.start[row]);
  for (size_t i = 1; i < rows.size(); ++i) value_.push_back(values.value[rows[sampled ? i : i - 1]]);
}

CounterIntegral CounterSeries::over(Span span) const {
  CounterIntegral sum;
  const auto after = std::ranges::upper_bound(border_, span.first);
  size_t piece = after == border_.begin() ? 0 : static_cast<size_t>(after - border_.begin()) - 1;
  for (; piece < value_.size() && border_[piece] < span.second; ++piece) {
    const int64_t ns = std::min(border_[piece + 1], span.second) - std::max(border_[piece], span.first);
    if (ns <= 0 || std::isnan(value_[piece])) continue;
    sum += {value_[piece] * static_cast<double>(ns), ns};
  }
  return sum;
}

CounterIntegral CounterSeries::over_all() const {
  return over({std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()});
}

std::vector<CounterSeries> counter_series(const Trace& trace) {
  const RowsByThread rows(trace.counter_values.counter, trace.counters.size());
  std::vector<CounterSeries> series;
  for (uint32_t c = 0; c < trace.counters.size(); ++c) {
    series.emplace_back(trace.counter_values, rows.rows_of(c), trace.counters[c].type_id.has_value());
  }
  return series;
}

std::vector<uint32_t> gpus_of_counters(const Trace& trace, const Gpus& gpus) {
  std::vector<uint32_t> found;
  for (const Counter& counter : trace.counters) {
    const auto gpu = std::ranges::find_if(gpus.gpus, [&](const Gpu& g) { return is_on(trace, counter, g); });
    found.push_back(gpu == gpus.gpus.end() ? kNone : static_cast<uint32_t>(gpu - gpus.gpus.begin()));
  }
  return found;
}

std::string place_of_counter(const Trace& trace, const Gpus& gpus, uint32_t gpu, const Counter& counter) {
  if (gpu != kNone) return gpus.gpus[gpu].place;
  return counter.device ? gpu_place(trace, counter.rank, *counter.device) : std::string();
}

}  // namespace sonde
