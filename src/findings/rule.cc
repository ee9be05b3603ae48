#include "findings/rule.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "findings/coverage.h"
#include "trace/columns.h"

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
  const size_t abstained = diagnosis.abstentions.size();
  rule.judge(facts, diagnosis);
  if (diagnosis.abstentions.size() == abstained) diagnosis.looked.push_back(rule.name);
  const auto not_recorded = not_recorded_of(facts.trace, rule.fields);
  for (const std::string_view name : not_recorded) {
    if (std::ranges::find(diagnosis.not_recorded, name) == diagnosis.not_recorded.end()) {
      diagnosis.not_recorded.push_back(name);
    }
  }
  for (size_t i = before; i < diagnosis.findings.size(); ++i) {
    diagnosis.findings[i].not_recorded = not_recorded;
    diagnosis.findings[i].saves_work = rule.saves == Saves::gpu_work || rule.of_kernel_reports;
  }
}

/// Two fixes can save the same time. Each finding gets at most what earlier findings leave of the wall time.
void keep_within_wall(int64_t wall_ns, std::vector<Finding>& findings) {
  int64_t left = wall_ns;
  for (Finding& finding : findings) {
    finding.ceiling_ns = std::min(finding.ceiling_ns, left);
    left -= finding.ceiling_ns;
  }
}

/// What no fix can act on, and what saves little beside a larger finding, gets one line.
void fold(const Facts& facts, std::vector<Finding>& findings) {
  const auto little = [&](const Finding& f) { return facts.percent_of_wall(f.ceiling_ns) < kWorthPercent; };
  const bool any_large = std::ranges::any_of(findings, [&](const Finding& f) { return f.fixable && !little(f); });
  for (Finding& f : findings) f.folded = !f.fixable || (f.takes_time && any_large && little(f));
}

Answer answer_of(const Facts& facts, const Diagnosis& diagnosis) {
  if (std::ranges::any_of(diagnosis.findings, [](const Finding& f) { return !f.folded; })) return Answer::problems;
  const bool looked = 2 * diagnosis.looked.size() >= diagnosis.asked;
  return looked && facts.has_gpu_work() ? Answer::nothing_found : Answer::could_not_look;
}

/// The time in which a GPU works, a mean over GPUs.
int64_t busy_ns(const Facts& facts) {
  if (facts.is_kernel_report()) return facts.wall_ns();
  return std::min(facts.per_gpu(facts.judged_busy_ns()), facts.wall_ns());
}

std::optional<RooflineShare> roofline_share(const Facts& facts) {
  if (facts.trace.ranges.shapes.empty()) return std::nullopt;
  const OperatorCalls& operators = facts.operators();
  const Kernels& k = facts.trace.kernels;
  double all_ns = 0;
  double known_ns = 0;
  double least_ns = 0;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!facts.judged(k.start[row])) continue;
    const auto duration = static_cast<double>(k.end[row] - k.start[row]);
    all_ns += duration;
    const MaybeAmount part = operators.roofline_part(row);
    if (!part) continue;
    known_ns += duration;
    least_ns += *part * duration;
  }
  if (known_ns <= 0) return std::nullopt;
  return RooflineShare{100 * known_ns / all_ns, 100 * least_ns / known_ns};
}

TimeExplained explained_by(const Facts& facts, const std::vector<Finding>& findings) {
  int64_t saved_work = 0;
  int64_t saved_idle = 0;
  for (const Finding& f : findings) {
    if (!f.folded) (f.saves_work ? saved_work : saved_idle) += f.ceiling_ns;
  }
  // A fix of one kind can take time of the other: fewer launches also start sooner.
  const int64_t busy = busy_ns(facts);
  const int64_t idle = facts.wall_ns() - busy;
  const int64_t idle_left = idle - saved_idle;
  const int64_t work_left = busy - saved_work;
  const int64_t work = std::clamp(work_left + std::min<int64_t>(idle_left, 0), int64_t{0}, busy);
  const int64_t unexplained = std::clamp(idle_left + std::min<int64_t>(work_left, 0), int64_t{0}, idle);
  return {facts.wall_ns() - work - unexplained, work, unexplained, roofline_share(facts)};
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
    if (rule->of_kernel_reports != facts.is_kernel_report()) continue;
    ++diagnosis.asked;
    ask(*rule, facts, failed, diagnosis);
  }
  fold(facts, diagnosis.findings);
  std::ranges::stable_sort(diagnosis.findings, std::greater(),
                           [](const Finding& f) { return std::tuple(!f.folded, f.reachable, f.ceiling_ns); });
  keep_within_wall(facts.wall_ns(), diagnosis.findings);
  fold(facts, diagnosis.findings);  // what is left of a fix for the same time may be little
  std::ranges::stable_sort(diagnosis.findings, {}, &Finding::folded);
  diagnosis.answer = answer_of(facts, diagnosis);
  diagnosis.explained = explained_by(facts, diagnosis.findings);
  return diagnosis;
}

}  // namespace sonde
