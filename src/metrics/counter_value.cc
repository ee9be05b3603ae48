#include "metrics/counter_value.h"

#include <fmt/format.h>

#include "metrics/metric_name.h"

namespace sonde {
namespace {

constexpr double kNanosecond = 1e-9;

std::optional<double> with_suffix(const Trace& trace, const KernelProfile& kernel, std::string_view counter,
                                  std::string_view suffix) {
  return metric_number(trace, kernel, fmt::format("{}{}", counter, suffix));
}

std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

std::optional<double> quotient(std::optional<double> a, std::optional<double> b) {
  return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
}

bool runs_at_sm_clock(std::string_view hardware) {
  return hardware == "sm" || hardware == "smsp" || hardware == "l1tex" || hardware == "idc";
}

/// `.sum` and `.avg` are the same share of the same peak.
std::optional<double> reported_percent(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  const auto of_sum = with_suffix(trace, kernel, counter, ".sum.pct_of_peak_sustained_elapsed");
  return of_sum ? of_sum : with_suffix(trace, kernel, counter, ".avg.pct_of_peak_sustained_elapsed");
}

std::optional<double> reported_peak(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  return product(with_suffix(trace, kernel, counter, ".sum.peak_sustained"), clock_hz(trace, kernel, counter));
}

}  // namespace

std::optional<double> first_number(const Trace& trace, const KernelProfile& kernel,
                                   std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto number = metric_number(trace, kernel, name)) return number;
  }
  return std::nullopt;
}

std::optional<double> duration_s(const Trace& trace, const KernelProfile& kernel) {
  return product(metric_number(trace, kernel, "gpu__time_duration.sum"), kNanosecond);
}

std::optional<double> clock_hz(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  const std::string_view hardware = split_metric_name(counter).hardware;
  const auto own = with_suffix(trace, kernel, hardware, "__cycles_elapsed.avg.per_second");
  if (own || !runs_at_sm_clock(hardware)) return own;
  return first_number(trace, kernel,
                      {"sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                       "gpc__cycles_elapsed.avg.per_second"});
}

std::optional<double> counter_total(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  if (const auto sum = with_suffix(trace, kernel, counter, ".sum")) return sum;
  return product(counter_per_second(trace, kernel, counter), duration_s(trace, kernel));
}

std::optional<double> counter_per_second(const Trace& trace, const KernelProfile& kernel, std::string_view counter) {
  if (const auto rate = with_suffix(trace, kernel, counter, ".sum.per_second")) return rate;
  const auto per_cycle = with_suffix(trace, kernel, counter, ".sum.per_cycle_elapsed");
  if (const auto rate = product(per_cycle, clock_hz(trace, kernel, counter))) return rate;
  return quotient(with_suffix(trace, kernel, counter, ".sum"), duration_s(trace, kernel));
}

std::optional<double> counter_peak_per_second(const Trace& trace, const KernelProfile& kernel,
                                              std::string_view counter) {
  if (const auto peak = reported_peak(trace, kernel, counter)) return peak;
  return quotient(product(counter_per_second(trace, kernel, counter), 100), reported_percent(trace, kernel, counter));
}

std::optional<double> counter_percent_of_peak(const Trace& trace, const KernelProfile& kernel,
                                              std::string_view counter) {
  if (const auto percent = reported_percent(trace, kernel, counter)) return percent;
  return quotient(product(counter_per_second(trace, kernel, counter), 100), reported_peak(trace, kernel, counter));
}

}  // namespace sonde
