#include "findings/rule.h"

#include <algorithm>
#include <array>

namespace sonde {

#define SONDE_RULE(name) extern const Rule name##_rule;
#include "findings/list.inc"
#undef SONDE_RULE

std::span<const Rule* const> rules() {
  static const std::array all = {
#define SONDE_RULE(name) &name##_rule,
#include "findings/list.inc"
#undef SONDE_RULE
  };
  return all;
}

Fields diagnosis_fields() {
  Fields fields = kIdleFields | Fields{Field::syncs, Field::diagnostics};
  for (const Rule* rule : rules()) fields |= rule->fields;
  return fields;
}

Diagnosis diagnose(const Facts& facts) {
  Diagnosis diagnosis;
  for (const Rule* rule : rules()) rule->judge(facts, diagnosis);
  std::ranges::stable_sort(diagnosis.findings, std::greater(),
                           [](const Finding& f) { return std::pair(f.reachable, f.ceiling_ns); });
  return diagnosis;
}

}  // namespace sonde
