#include "report/decision/decision_json.h"

namespace sonde {
namespace json {
namespace {

void write(const gate::Decision& decision, const DecisionContext& context, const Sink& sink) {
  sink(written_json(decision_document(decision, context)));
}

}  // namespace
}  // namespace json

extern const DecisionFormat json_decision_format;
const DecisionFormat json_decision_format = {.name = "json",
                                             .description = "for programs (schema: docs/schemas/gate.schema.json)",
                                             .ending = ".json",
                                             .parts = {},
                                             .needs_profiles = false,
                                             .write = json::write};

}  // namespace sonde
