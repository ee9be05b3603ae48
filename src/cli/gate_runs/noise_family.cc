#include "cli/gate_runs/noise_family.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "gate/metric.h"
#include "gate/store/choose_baseline.h"

namespace sonde {
namespace {

gate::BudgetRule rule_for(const gate::Metric& metric, std::string kernel) {
  gate::BudgetRule rule;
  rule.name = metric.name;
  rule.metric = &metric;
  rule.selector.kernel = std::move(kernel);
  rule.demand = gate::AllowedChange{};
  return rule;
}

bool usable(const gate::TimedRuns& runs, size_t wanted) {
  const auto centres = gate::run_centres(runs, gate::Centre::median);
  return centres.size() == wanted && std::ranges::all_of(centres, [](double v) { return std::isfinite(v) && v > 0; });
}

std::string padded(const std::string& text, size_t width, bool right) {
  const std::string blanks(width - std::min(width, text_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

}  // namespace

const gate::Budget& every_timed_figure() {
  static const gate::Budget budget = [] {
    gate::Budget made;
    for (const gate::Metric& metric : gate::metrics()) {
      const bool needs_selector = (metric.selectors & gate::selector::range) != 0;
      if (metric.kind != gate::MetricKind::timed || needs_selector) continue;
      made.rules.push_back(rule_for(metric, {}));
      if (metric.name == "kernel_time") made.rules.push_back(rule_for(metric, ".*"));
    }
    return made;
  }();
  return budget;
}

std::vector<NoisyFigure> noisy_figures(const gate::Budget& budget, std::span<const gate::RunRecord> records) {
  std::vector<NoisyFigure> figures;
  std::set<std::pair<std::string_view, std::string>> seen;
  for (gate::Subject& subject : gate::subjects_of(budget, records, records)) {
    const gate::Metric& metric = *subject.rule->metric;
    if (metric.kind != gate::MetricKind::timed || !usable(subject.changed, records.size())) continue;
    if (!seen.insert({metric.name, subject.name}).second) continue;
    figures.push_back({std::string(metric.name), std::move(subject.name), std::move(subject.changed)});
  }
  return figures;
}

std::vector<NoisyFigure> noisy_figures(const gate::CalibratedFloors& floors) {
  std::vector<NoisyFigure> figures;
  for (const auto& [what, centres] : floors.centres) {
    if (centres.size() != floors.runs) continue;
    NoisyFigure figure{.metric = what.first, .subject = what.second, .runs = {}};
    for (const double centre : centres) figure.runs.push_back({centre});
    figures.push_back(std::move(figure));
  }
  return figures;
}

gate::CalibratedFloors floors_of(std::span<const NoisyFigure> figures, std::span<const gate::RunRecord> records) {
  gate::CalibratedFloors floors{.conditions = gate::common_conditions(records), .runs = records.size(), .centres = {}};
  for (const NoisyFigure& figure : figures) {
    floors.centres[{figure.metric, figure.subject}] = gate::run_centres(figure.runs, gate::Centre::median);
  }
  return floors;
}

double deviation_between(std::span<const double> centres) {
  const double mean = gate::mean_of(centres);
  double squares = 0;
  for (const double v : centres) squares += (v / mean - 1) * (v / mean - 1);
  return centres.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(centres.size() - 1));
}

std::string share_text(std::optional<double> share) {
  constexpr double kTwoDigits = 10;  // from here on 2 digits have no decimal, and %g would write an exponent
  if (!share) return "-";
  const double percent = 100 * *share;
  return percent < kTwoDigits ? fmt::format("{:.2g} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string figures_table(std::span<const std::vector<std::string>> rows, size_t width) {
  std::vector<size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  constexpr size_t kGap = 2;
  constexpr size_t kLeastName = 16;
  size_t others = 0;
  for (size_t i = 0; i < widths.size(); ++i) others += i == 1 ? kGap : widths[i] + kGap;
  if (width > 0) widths[1] = std::min(widths[1], std::max(kLeastName, width - std::min(width, others)));
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string cell = i == 1 ? cut_middle(row[i], widths[i]) : row[i];
      line += padded(cell, widths[i], i > 1) + std::string(kGap, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace sonde
