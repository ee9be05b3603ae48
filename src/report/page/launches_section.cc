#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "analyses/views/kernel_view.h"
#include "report/kernel_pages/kernel_page.h"
#include "report/page/json_columns.h"
#include "report/page/section.h"
#include "report/page/table_columns_json.h"

namespace sonde {
namespace launches {
namespace {

using Json = nlohmann::ordered_json;

/// Their tables take some 10 kB each. The longest launches are kept.
constexpr size_t kMaxLaunches = 60;

std::string_view text_or_empty(const Trace& trace, NameId name) {
  return name == kNone ? std::string_view() : trace.name(name);
}

Json speedup_json(const RuleResult& rule) {
  const auto greatest = std::ranges::max_element(rule.speedups, {}, [](const EstimatedSpeedup& s) {
    return std::pair(s.scope == EstimatedSpeedup::Scope::global, s.percent);
  });
  if (greatest == rule.speedups.end()) return nullptr;
  return {{"percent", greatest->percent}, {"whole_kernel", greatest->scope == EstimatedSpeedup::Scope::global}};
}

/// What rules of the profiler said, but for what they found in order.
Json advice_json(const Trace& trace, const KernelProfile& kernel) {
  Json advice = Json::array();
  for (const RuleResult& rule : kernel.rules) {
    for (const AdviceText& text : rule.texts) {
      if (text.kind == AdviceKind::none || text.kind == AdviceKind::ok) continue;
      const std::string_view title = text_or_empty(trace, text.title);
      advice.push_back({{"title", title.empty() ? text_or_empty(trace, rule.name) : title},
                        {"says", without_markup(text_or_empty(trace, text.text))},
                        {"speedup", speedup_json(rule)}});
    }
  }
  return advice;
}

Json views_json(const Trace& trace, const KernelProfile& kernel) {
  Json views = Json::array();
  for (const KernelView& view : kernel_views()) {
    const auto table = view.run(trace, kernel);
    if (!table || table->rows() == 0) continue;
    views.push_back({{"name", view.name},
                     {"title", view.title},
                     {"note", table->note},
                     {"columns", table_columns_json(*table, 0)},
                     {"rows", table->rows()}});
  }
  return views;
}

Json launch_json(const Trace& trace, const KernelProfile& kernel) {
  return {{"id", kernel.id},
          {"kernel", text_or_empty(trace, kernel.name)},
          {"grid", fmt::format("{} x {} x {}", kernel.grid[0], kernel.grid[1], kernel.grid[2])},
          {"block", fmt::format("{} x {} x {}", kernel.block[0], kernel.block[1], kernel.block[2])},
          {"duration_ns", number_or_null(metric_number(trace, kernel, "gpu__time_duration.sum"))},
          {"advice", advice_json(trace, kernel)},
          {"views", views_json(trace, kernel)}};
}

/// The longest first; of equal time, in the order of the report.
std::vector<size_t> by_duration(const Trace& trace) {
  std::vector<size_t> order(trace.kernel_profiles.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::greater(), [&](size_t i) {
    return metric_number(trace, trace.kernel_profiles[i], "gpu__time_duration.sum").value_or(0);
  });
  return order;
}

const Trace* reports_of(const ReportSource& source) {
  if (!source.trace.kernel_profiles.empty()) return &source.trace;
  return source.facts.kernels ? source.facts.kernels->reports : nullptr;
}

Json write(const ReportSource& source) {
  const Trace* reports = reports_of(source);
  if (reports == nullptr || reports->kernel_profiles.empty()) return nullptr;
  const std::vector<size_t> order = by_duration(*reports);
  const size_t shown = std::min(order.size(), kMaxLaunches);
  Json launches = Json::array();
  for (size_t i = 0; i < shown; ++i) launches.push_back(launch_json(*reports, reports->kernel_profiles[order[i]]));
  return {{"launches", std::move(launches)}, {"left_out", order.size() - shown}};
}

}  // namespace
}  // namespace launches

extern const ReportSection launches_section;
const ReportSection launches_section{
    "launches", "measured kernel launches: the profiler's advice and tables of counters", launches::write};

}  // namespace sonde
