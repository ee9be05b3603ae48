#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "analyses/gpus/gpus.h"
#include "trace/trace.h"

namespace sonde {

/// The integral of a counter over some time.
struct CounterIntegral {
  double weighted = 0;     ///< sum of value times nanoseconds
  int64_t covered_ns = 0;  ///< time for which there is a value

  CounterIntegral& operator+=(const CounterIntegral& other);
  [[nodiscard]] std::optional<double> mean() const;
};

/// One counter over time, as a value for each piece of time. A sample of a GPU metric is what the hardware counted
/// since the sample before it, so that it holds from there until its own time, and the first for no time. A value that
/// a framework wrote holds from its time until the next, and the last for no time.
class CounterSeries {
 public:
  /// The rows of one counter, in the order of time.
  CounterSeries(const CounterValues& values, std::span<const Row> rows, bool sampled);

  [[nodiscard]] CounterIntegral over(Span span) const;
  [[nodiscard]] CounterIntegral over_all() const;

 private:
  Times border_;               ///< piece i is [border_[i], border_[i + 1])
  std::vector<double> value_;  ///< NaN where the source gives none
};

/// One for each of Trace::counters. Needs Field::counters.
[[nodiscard]] std::vector<CounterSeries> counter_series(const Trace& trace);

/// The GPU of each of Trace::counters, as an index of `gpus`; kNone where nothing ran on it or it is of no GPU.
[[nodiscard]] std::vector<uint32_t> gpus_of_counters(const Trace& trace, const Gpus& gpus);

/// "GPU 0"; empty for a counter of no GPU.
[[nodiscard]] std::string place_of_counter(const Trace& trace, const Gpus& gpus, uint32_t gpu, const Counter& counter);

}  // namespace sonde
