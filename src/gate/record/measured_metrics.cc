#include "gate/record/measured_metrics.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "metrics/quantities.h"

namespace sonde::gate {
namespace {

constexpr auto kMeasured = std::to_array<MeasuredMetric>({
#define SONDE_MEASURED_METRIC(metric, quantity, fold, section) {#metric, #quantity, LaunchFold::fold, #section},
#include "gate/record/measured_metrics.inc"
#undef SONDE_MEASURED_METRIC
});

}  // namespace

void MeasuredFold::add(std::optional<double> value, std::optional<double> duration_ns) {
  ++values_;
  all_have_it_ = all_have_it_ && value;
  all_have_duration_ = all_have_duration_ && duration_ns;
  if (!all_have_it_) return;
  sum_ += *value;
  if (!all_have_duration_) return;
  weighted_ += *value * *duration_ns;
  ns_ += *duration_ns;
}

std::optional<double> MeasuredFold::folded(LaunchFold fold) const {
  if (values_ == 0 || !all_have_it_) return std::nullopt;
  if (fold == LaunchFold::sum || values_ == 1) return sum_;
  return all_have_duration_ && ns_ > 0 ? std::optional(weighted_ / ns_) : std::nullopt;
}

std::span<const MeasuredMetric> measured_metrics() { return kMeasured; }

const MeasuredMetric* find_measured_metric(std::string_view metric) {
  const auto* const found = std::ranges::find(kMeasured, metric, &MeasuredMetric::metric);
  return found == kMeasured.end() ? nullptr : found;
}

std::string counters_of(const MeasuredMetric& metric) {
  const auto quantity = find_quantity(metric.quantity);
  const std::string_view counter = quantity ? variants_of(**quantity).front().a : metric.quantity;
  return metric.fold == LaunchFold::sum ? std::string(counter) : fmt::format("{},gpu__time_duration.sum", counter);
}

std::string section_options(const MeasuredMetric& metric) {
  constexpr std::string_view kHasDuration = "SpeedOfLight";
  const bool also = metric.fold == LaunchFold::mean && metric.section != kHasDuration;
  return fmt::format("{}--section {}", also ? fmt::format("--section {} ", kHasDuration) : "", metric.section);
}

}  // namespace sonde::gate
