#include "dispatch/estimates.h"

#include <algorithm>
#include <cmath>

#include "dispatch/estimates/tail_bound.h"

namespace sonde::dispatch {
namespace {

constexpr size_t kLast = 200;
constexpr size_t kFewest = 3;           ///< measured tasks before anything is said
constexpr double kExceedance = 0.0085;  ///< of tasks that take more than is kept for them: a little below 1 in 100
constexpr double kMargin = 1.05;        ///< peaks are read from samples, which miss some of the last per cents
constexpr double kMoreAfterOut = 1.5;   ///< what is added after a task ran out of memory
constexpr double kMax = 4;              ///< times the highest peak
constexpr double kMaxOfFew =
    1.5;  ///< likewise, for fewer than kFew tasks: they say too little of a tail to keep a GPU for it
constexpr size_t kFew = 20;
constexpr int64_t kMinBytes = 1 << 20;

void push(std::vector<int64_t>& last, int64_t value) {
  if (last.size() == kLast) last.erase(last.begin());
  last.push_back(value);
}

std::vector<int64_t> sorted(std::span<const int64_t> values) {
  std::vector<int64_t> copy(values.begin(), values.end());
  std::ranges::sort(copy);
  return copy;
}

/// Linear between the two nearest.
int64_t quantile(std::span<const int64_t> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double rest = place - static_cast<double>(below);
  return sorted[below] + std::llround(rest * static_cast<double>(sorted[above] - sorted[below]));
}

int64_t deviation(std::span<const int64_t> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const int64_t value : values) mean += static_cast<double>(value) / count;
  double squares = 0;
  for (const int64_t value : values)
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  return std::llround(std::sqrt(squares / (count - 1)));
}

int64_t times(int64_t bytes, double factor) { return std::llround(static_cast<double>(bytes) * factor); }

std::optional<MemoryEstimate> memory_of(std::span<const int64_t> peaks, int64_t not_enough_bytes) {
  if (peaks.size() < kFewest) return std::nullopt;
  const std::vector<int64_t> ascending = sorted(peaks);
  const auto highest = static_cast<double>(ascending.back());
  const double max = peaks.size() < kFew ? kMaxOfFew : kMax;
  const double bound = std::clamp(tail_bound(ascending, kExceedance), kMargin * highest, max * highest);
  return MemoryEstimate{.need_bytes = std::max<int64_t>(std::llround(bound), times(not_enough_bytes, kMoreAfterOut)),
                        .median_bytes = quantile(ascending, 0.5),
                        .spread_bytes = deviation(peaks),
                        .tasks = static_cast<int64_t>(peaks.size())};
}

RunTimeEstimate run_time_of(std::span<const int64_t> run_ns) {
  const std::vector<int64_t> ascending = sorted(run_ns);
  return {.low_ns = quantile(ascending, 0.1),
          .median_ns = quantile(ascending, 0.5),
          .high_ns = quantile(ascending, 0.9),
          .tasks = static_cast<int64_t>(run_ns.size())};
}

}  // namespace

void Estimates::learn_memory(OfType& of, const Measured& measured) {
  if (measured.out_of_memory) {
    // What it held when it ended is no peak: it wanted more.
    of.not_enough_bytes = std::max({of.not_enough_bytes, measured.reserved_bytes, measured.peak_bytes.value_or(0)});
    of.since_not_enough = 0;
  } else if (measured.peak_bytes) {
    push(of.peaks, std::max(*measured.peak_bytes, kMinBytes));
    if (++of.since_not_enough > static_cast<int64_t>(kLast)) of.not_enough_bytes = 0;
  } else {
    return;
  }
  of.memory = memory_of(of.peaks, of.not_enough_bytes);
}

void Estimates::learn(const Measured& measured) {
  OfType& of = types_[measured.type];
  learn_memory(of, measured);
  if (!measured.run_ns) return;
  push(run_ns_of_all_, std::max<int64_t>(*measured.run_ns, 1));
  for (const std::string& gpu_name : {measured.gpu_name, std::string()}) {
    RunTimes& run_times = of.run_times[gpu_name];
    push(run_times.ns, std::max<int64_t>(*measured.run_ns, 1));
    run_times.estimate = run_time_of(run_times.ns);
    if (gpu_name.empty()) break;
  }
}

std::optional<MemoryEstimate> Estimates::memory(std::string_view type) const {
  const auto of = types_.find(type);
  return of == types_.end() ? std::nullopt : of->second.memory;
}

const Estimates::RunTimes* Estimates::run_times_of(std::string_view type, std::string_view gpu_name) const {
  const auto of = types_.find(type);
  if (of == types_.end()) return nullptr;
  for (const std::string_view name : {gpu_name, std::string_view()}) {
    const auto found = of->second.run_times.find(name);
    if (found != of->second.run_times.end() && found->second.ns.size() >= kFewest) return &found->second;
  }
  return nullptr;
}

std::optional<RunTimeEstimate> Estimates::run_time(std::string_view type, std::string_view gpu_name) const {
  const RunTimes* const known = run_times_of(type, gpu_name);
  if (known == nullptr) return std::nullopt;
  return known->estimate;
}

std::optional<RunTimeEstimate> Estimates::run_time_there(std::string_view type, std::string_view gpu_name) const {
  const auto of = types_.find(type);
  if (of == types_.end()) return std::nullopt;
  const auto found = of->second.run_times.find(gpu_name);
  if (found == of->second.run_times.end() || found->second.ns.size() < kFewest) return std::nullopt;
  return found->second.estimate;
}

std::optional<double> Estimates::speed(std::string_view type, std::string_view gpu_name) const {
  const auto of = types_.find(type);
  if (of == types_.end()) return std::nullopt;
  std::optional<int64_t> fastest_ns;
  std::optional<int64_t> own_ns;
  for (const auto& [name, run_times] : of->second.run_times) {
    if (name.empty() || run_times.ns.size() < kFewest) continue;
    const int64_t median_ns = run_times.estimate.median_ns;
    fastest_ns = std::min(fastest_ns.value_or(median_ns), median_ns);
    if (name == gpu_name) own_ns = median_ns;
  }
  if (!own_ns) return std::nullopt;
  return static_cast<double>(*fastest_ns) / static_cast<double>(*own_ns);
}

std::span<const int64_t> Estimates::run_times(std::string_view type, std::string_view gpu_name) const {
  const RunTimes* const known = run_times_of(type, gpu_name);
  if (known == nullptr) return {};
  return known->ns;
}

std::span<const int64_t> Estimates::run_times_of_all() const {
  if (run_ns_of_all_.size() < kFewest) return {};
  return run_ns_of_all_;
}

}  // namespace sonde::dispatch
