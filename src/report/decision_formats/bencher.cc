#include "report/decision/checked_figure.h"
#include "report/decision/decision_json.h"

/// Bencher Metric Format: benchmarks with their measures.
namespace sonde {
namespace bencher {
namespace {

using Json = nlohmann::ordered_json;

Json measure_json(const CheckedFigure& figure) {
  Json measure = {{"value", figure.value}};
  if (figure.low) measure["lower_value"] = *figure.low;
  if (figure.high) measure["upper_value"] = *figure.high;
  return measure;
}

void write(const gate::Decision& decision, const DecisionContext& /*context*/, const Sink& sink) {
  Json benchmarks = Json::object();
  for (const CheckedFigure& figure : checked_figures(decision)) {
    benchmarks[figure.name][std::string(figure.metric->name)] = measure_json(figure);
  }
  sink(written_json(benchmarks));
}

}  // namespace
}  // namespace bencher

extern const DecisionFormat bencher_decision_format;
const DecisionFormat bencher_decision_format = {.name = "bencher",
                                                .description = "metrics of the new runs for Bencher (--adapter json)",
                                                .ending = "",
                                                .parts = {},
                                                .needs_profiles = false,
                                                .write = bencher::write};

}  // namespace sonde
