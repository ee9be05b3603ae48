#include "report/decision/benchmark_json.h"
#include "report/decision/decision_json.h"

namespace sonde {
namespace benchmark {
namespace {

void write(const gate::Decision& decision, const DecisionContext& /*context*/, const Sink& sink) {
  sink(written_json(benchmark_document(decision, gate::Better::lower)));
}

}  // namespace
}  // namespace benchmark

extern const DecisionFormat benchmark_decision_format;
const DecisionFormat benchmark_decision_format = {
    .name = "benchmark",
    .description = "github-action-benchmark, tool customSmallerIsBetter: metrics of the new runs where lower is better",
    .ending = "",
    .parts = {},
    .needs_profiles = false,
    .write = benchmark::write};

}  // namespace sonde
