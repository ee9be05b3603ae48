#include "findings/rule.h"

#include <algorithm>
#include <array>

#include "findings/coverage.h"

namespace sonde {

#define SONDE_RULE(name) extern const Rule name##_rule;
#include "findings/rules/list.inc"

#include "findings/kernel_rules/list.inc"
#undef SONDE_RULE

namespace {

/// Asks a rule, unless the profile fails a check that it needs.
void ask(const Rule& rule, const Facts& facts, const std::vector<FailedCheck>& failed, Diagnosis& diagnosis) {
  const auto reason = std::ranges::find_if(failed, [&](const FailedCheck& f) { return rule.checks.has(f.check); });
  if (reason != failed.end()) {
    diagnosis.abstentions.push_back({rule.name, reason->text_id, reason->arguments});
    return;
  }
  const size_t before = diagnosis.findings.size();
  rule.judge(facts, diagnosis);
  const auto not_recorded = not_recorded_of(facts.trace, rule.fields);
  for (const std::string_view name : not_recorded) {
    if (std::ranges::find(diagnosis.not_recorded, name) == diagnosis.not_recorded.end()) {
      diagnosis.not_recorded.push_back(name);
    }
  }
  for (size_t i = before; i < diagnosis.findings.size(); ++i) diagnosis.findings[i].not_recorded = not_recorded;
}

/// Two fixes can save the same time. Each finding gets at most what earlier findings leave of the wall time.
void keep_within_wall(int64_t wall_ns, std::vector<Finding>& findings) {
  int64_t left = wall_ns;
  for (Finding& finding : findings) {
    finding.ceiling_ns = std::min(finding.ceiling_ns, left);
    left -= finding.ceiling_ns;
  }
}

}  // namespace

std::span<const Rule* const> rules() {
  static const std::array all = {
#define SONDE_RULE(name) &name##_rule,
#include "findings/rules/list.inc"

#include "findings/kernel_rules/list.inc"
#undef SONDE_RULE
  };
  return all;
}

Fields diagnosis_fields() {
  Fields fields{Field::syncs};  // replays of all rules use them
  for (const Rule* rule : rules()) fields |= rule->fields;
  return fields;
}

Diagnosis diagnose(const Facts& facts) {
  Diagnosis diagnosis;
  diagnosis.claims.idle.resize(facts.gpus.gpus.size());
  const std::vector<FailedCheck> failed = failed_checks(facts);
  for (const Rule* rule : rules()) {
    if (rule->of_kernel_reports == facts.is_kernel_report()) ask(*rule, facts, failed, diagnosis);
  }
  std::ranges::stable_sort(diagnosis.findings, std::greater(),
                           [](const Finding& f) { return std::pair(f.reachable, f.ceiling_ns); });
  keep_within_wall(facts.wall_ns(), diagnosis.findings);
  return diagnosis;
}

}  // namespace sonde
