#include "gate/decide/absence.h"

#include <algorithm>

#include "gate/record/measured_metrics.h"

namespace sonde::gate {
namespace {

Argument text(std::string name, std::string_view value) {
  return {.name = std::move(name), .text = std::string(value)};
}

Argument count(std::string name, size_t value) {
  return {.name = std::move(name), .unit = Unit::none, .number = static_cast<double>(value), .text = {}};
}

Refusal without_counter(const MeasuredMetric& metric, const RunRecord& run) {
  return {.reason = run.measures.empty() ? "no_report" : "no_counter",
          .arguments = {text("sections", section_options(metric)), text("counters", counters_of(metric))}};
}

/// Absent for a name that the run does not have, and for a kernel report: that is no question of their number.
std::optional<Refusal> too_few(const Figure& figure, const Scope& scope, const RunRecord& run) {
  if (!run.measures.empty()) return std::nullopt;
  const size_t needed = least_values(figure.metric);
  if (figure.each != FigureEach::range) {
    return Refusal{.reason = "too_few_steps",
                   .arguments = {count("needed", needed), count("count", run.step_ns.size())}};
  }
  const auto found = std::ranges::find(run.ranges, scope.range, &RangeTimes::name);
  if (found == run.ranges.end()) return std::nullopt;
  return Refusal{.reason = "too_few_ranges",
                 .arguments = {count("needed", needed), count("count", static_cast<size_t>(found->count))}};
}

std::optional<Refusal> reason(const Figure& figure, const Scope& scope, const RunRecord& run) {
  if (const MeasuredMetric* metric = find_measured_metric(figure.metric)) return without_counter(*metric, run);
  if (least_values(figure.metric) > 0) return too_few(figure, scope, run);
  if (figure.metric == "cpu_time") return Refusal{.reason = "no_cpu_time"};
  if (is_processor_count(figure.metric)) return Refusal{.reason = "no_cpu_counts"};
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> why_absent(const Figure& figure, const Scope& scope, const RunRecord& run,
                                  std::string_view side) {
  auto refusal = reason(figure, scope, run);
  if (refusal) refusal->arguments.push_back(text("side", side));
  return refusal;
}

}  // namespace sonde::gate
