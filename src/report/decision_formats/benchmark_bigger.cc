#include "report/decision/benchmark_json.h"
#include "report/decision/decision_json.h"

namespace sonde {
namespace benchmark_bigger {
namespace {

void write(const gate::Decision& decision, const DecisionContext& /*context*/, const Sink& sink) {
  sink(written_json(benchmark_document(decision, gate::Better::higher)));
}

}  // namespace
}  // namespace benchmark_bigger

extern const DecisionFormat benchmark_bigger_decision_format;
const DecisionFormat benchmark_bigger_decision_format = {
    .name = "benchmark_bigger",
    .description = "the same for metrics where higher is better, tool customBiggerIsBetter",
    .ending = "",
    .parts = {},
    .needs_profiles = false,
    .write = benchmark_bigger::write};

}  // namespace sonde
