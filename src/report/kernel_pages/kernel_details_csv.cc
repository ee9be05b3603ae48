#include <algorithm>

#include "report/kernel_pages/ncu_csv_row.h"

namespace sonde {
namespace kernel_details_csv_page {
namespace {

constexpr std::string_view kMetricTitles[] = {"Section Name", "Metric Name", "Metric Unit", "Metric Value"};
constexpr std::string_view kRuleTitles[] = {"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
                                            "Estimated Speedup"};

/// A table has columns for rules only where the report has results of rules.
bool has_rules(const KernelPage& page) {
  return std::ranges::any_of(page.kernels, [](const KernelProfile* kernel) { return !kernel->rules.empty(); });
}

void write_metrics(const KernelPage& page, const KernelProfile& kernel, const ProfileSection& section, bool rules,
                   const Sink& sink) {
  NcuCsvRow row;
  for (const ShownMetric& metric : shown_metrics(page, kernel, section)) {
    if (!metric.collected) continue;
    row.add_launch(*page.trace, kernel);
    row.add(page.trace->name(section.title));
    row.add(metric.label);
    row.add(metric.unit);
    row.add(metric.value);
    if (rules) row.end();
    sink(row.take());
  }
}

void write_advice(const KernelPage& page, const KernelProfile& kernel, const ProfileSection& section,
                  const Sink& sink) {
  NcuCsvRow row;
  for (const RuleResult* rule : advice_of(kernel, section.id)) {
    const EstimatedSpeedup* speedup = rule->speedups.empty() ? nullptr : &rule->speedups.front();
    for (const AdviceText& advice : rule->texts) {
      row.add_launch(*page.trace, kernel);
      row.add(page.trace->name(section.id));
      for (int i = 0; i < 3; ++i) row.add({});
      row.add(page.trace->name(rule->id));
      row.add(mark_of(advice.kind));
      row.add(without_markup(page.trace->name(advice.text)));
      row.add(speedup == nullptr ? std::string_view() : scope_name(speedup->scope));
      row.add(speedup == nullptr ? std::string() : speedup_text(*speedup));
      sink(row.take());
      speedup = nullptr;  // one estimate a rule: shown once, so that it is not added up
    }
  }
}

void write(const KernelPage& page, const Sink& sink) {
  const bool rules = has_rules(page);
  NcuCsvRow row;
  row.add_launch_titles();
  for (const std::string_view title : kMetricTitles) row.add(title);
  if (rules) {
    for (const std::string_view title : kRuleTitles) row.add(title);
  }
  sink(row.take());
  for (const KernelProfile* kernel : page.kernels) {
    for (const ProfileSection* section : sections_of(page, *kernel)) {
      write_metrics(page, *kernel, *section, rules, sink);
      write_advice(page, *kernel, *section, sink);
    }
  }
}

}  // namespace
}  // namespace kernel_details_csv_page

extern const KernelPageFormat kernel_details_csv;
const KernelPageFormat kernel_details_csv{
    .page = "details",
    .format = "csv",
    .description = "metrics and rules of the sections, one per line, in the format of ncu --csv",
    .write = kernel_details_csv_page::write,
};

}  // namespace sonde
