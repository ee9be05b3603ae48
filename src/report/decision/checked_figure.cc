#include "report/decision/checked_figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/text/plain_text.h"

namespace sonde {
namespace {

/// The end of a ratio's interval as a value of the new side.
std::optional<double> value_at(const gate::Verdict& verdict, double ratio) {
  if (!verdict.base || ratio <= 0 || !std::isfinite(ratio)) return std::nullopt;
  return *verdict.base * ratio;
}

CheckedFigure figure_of(const gate::Verdict& verdict) {
  CheckedFigure figure{.name = one_line(verdict.subject),
                       .metric = verdict.rule->metric,
                       .value = *verdict.changed,
                       .low = {},
                       .high = {},
                       .verdict = &verdict};
  if (!verdict.interval) return figure;
  figure.low = value_at(verdict, verdict.interval->low);
  figure.high = value_at(verdict, verdict.interval->high);
  return figure;
}

}  // namespace

std::vector<CheckedFigure> checked_figures(const gate::Decision& decision) {
  std::vector<CheckedFigure> figures;
  const auto known = [&](const CheckedFigure& figure) {
    return std::ranges::find_if(
        figures, [&](const CheckedFigure& f) { return f.metric == figure.metric && f.name == figure.name; });
  };
  for (const gate::Verdict& verdict : decision.verdicts) {
    if (!verdict.changed || !std::isfinite(*verdict.changed)) continue;
    CheckedFigure figure = figure_of(verdict);
    auto same = known(figure);
    if (same != figures.end() && same->value != figure.value) {
      figure.name += fmt::format(" ({})", one_line(verdict.rule->name));
      same = known(figure);
    }
    if (same == figures.end()) {
      figures.push_back(std::move(figure));
    } else if (!same->low) {
      same->low = figure.low;
      same->high = figure.high;
    }
  }
  return figures;
}

}  // namespace sonde
