#include "report/baseline/figures.h"

#include <algorithm>

#include "gate/history/history.h"
#include "gate/runs.h"

namespace sonde {

double RunFigures::mean() const { return gate::mean_of(values); }
double RunFigures::least() const { return *std::ranges::min_element(values); }
double RunFigures::most() const { return *std::ranges::max_element(values); }

std::vector<RunFigures> headline_figures(std::span<const gate::RunRecord> records) {
  std::vector<RunFigures> figures;
  for (const std::string_view name : gate::headline_metrics()) {
    RunFigures figure{.metric = gate::find_metric(name), .values = {}};
    for (const gate::RunRecord& record : records) {
      const auto value = gate::run_figure(record, *figure.metric);
      if (value) figure.values.push_back(*value);
    }
    if (!figure.values.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace sonde
