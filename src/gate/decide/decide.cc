#include <algorithm>
#include <ranges>

#include "gate/decide/clock.h"
#include "gate/decide/decision.h"
#include "gate/decide/decision_words.h"
#include "gate/decide/floors.h"
#include "gate/decide/guard.h"
#include "gate/decide/repeated.h"
#include "gate/decide/session_values.h"
#include "gate/exact_verdict.h"
#include "gate/store/choose_baseline.h"

namespace sonde::gate {
namespace {

DecidedSide side_of(std::span<const RunRecord> runs) {
  DecidedSide side{.sources = {}, .conditions = common_conditions(runs), .label = {}};
  for (const RunRecord& run : runs) side.sources.push_back(run.source);
  return side;
}

Verdict refused(const Case& one) {
  Verdict verdict = begin_verdict(one.subject);
  verdict.reason = one.refusal->reason;
  for (const Argument& argument : one.refusal->arguments) verdict.arguments.push_back(argument);
  return verdict;
}

/// What a condition forbids comes before what a selector does not fit, but not before a missing baseline.
void guard_cases(std::span<Case> cases, const Guard& guard, const Sides& sides) {
  const auto repeated = repeated_run(sides);
  for (Case& one : cases) {
    if (repeated && !one.refusal && spoils(*repeated, *one.subject.rule)) one.refusal = repeated->refusal;
    if (auto refusal = guard.refusal(*one.subject.rule)) one.refusal = std::move(refusal);
  }
}

/// Judges those that nothing forbids.
std::vector<Verdict> judge_cases(std::span<const Case> cases, const Sides& sides, const JudgeOptions& options,
                                 const EarlierSessions* earlier) {
  std::vector<Case> open;
  for (const Case& one : cases) {
    if (!one.refusal) open.push_back(one);
  }
  std::vector<Subject> subjects;
  for (const Case& one : open) subjects.push_back(one.subject);
  std::vector<Verdict> judged = judge(subjects, options);
  if (std::ranges::count(judged, Outcome::fail, &Verdict::outcome) > 0) {
    excuse_clock(open, sides, judge(at_one_clock(open, sides, earlier), options), judged);
  }
  std::vector<Verdict> verdicts;
  size_t next = 0;
  for (const Case& one : cases) verdicts.push_back(one.refusal ? refused(one) : std::move(judged[next++]));
  return verdicts;
}

bool has_timeline(const RunRecord& run) { return run.measures.empty() && !run.gpus.empty() && run.extent_ns > 0; }
bool has_measures(const RunRecord& run) { return !run.measures.empty(); }

bool both(const Sides& sides, bool (*has)(const RunRecord&)) {
  return !sides.base.empty() && std::ranges::all_of(sides.base, has) && std::ranges::all_of(sides.changed, has);
}

void add_notes(std::vector<std::string>& to, std::vector<std::string> notes) {
  to.insert(to.end(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
}

void note_graphs(const Sides& sides, std::vector<std::string>& notes) {
  const auto whole = [](const RunRecord& run) { return run.recorded.whole_graphs; };
  if (std::ranges::any_of(sides.base, whole) || std::ranges::any_of(sides.changed, whole)) {
    notes.emplace_back(word_text("whole_graphs"));
  }
}

/// Whether it is known that all runs of one side came before those of the other.
bool one_after_other(const Sides& sides) {
  const auto started = [](std::span<const RunRecord> runs) {
    return std::ranges::minmax(runs |
                               std::views::transform([](const RunRecord& run) { return run.session.started_s; }));
  };
  if (sides.base.size() < 2 || sides.changed.size() < 2) return false;
  const auto base = started(sides.base);
  const auto changed = started(sides.changed);
  return base.min > 0 && changed.min > 0 && (base.max < changed.min || changed.max < base.min);
}

}  // namespace

Decision decide(const Budget& budget, std::span<const RunRecord> base, std::span<const RunRecord> changed,
                const DecideOptions& options) {
  const Sides sides{.base = base, .changed = changed};
  const double rate = options.false_alarm_rate.value_or(budget.false_alarm_rate);
  const Guard guard(sides, options.allowed_conditions);
  Decision decision{.base = side_of(base),
                    .changed = side_of(changed),
                    .has_base = !base.empty(),
                    .false_alarm_rate = rate,
                    .conditions = guard.differences(),
                    .verdicts = {},
                    .combined = {},
                    .difference = std::nullopt,
                    .kernels = {},
                    .notes = guard.notes()};
  Cases cases = cases_of(budget, sides);
  guard_cases(cases.cases, guard, sides);
  add_notes(decision.notes, std::move(cases.notes));
  add_notes(decision.notes, apply_floors(cases.cases, sides, options));
  note_graphs(sides, decision.notes);
  if (options.earlier == nullptr && one_after_other(sides)) {
    decision.notes.emplace_back(word_text("not_interleaved"));
  }
  if (options.earlier != nullptr) apply_sessions(cases.cases, *options.earlier);
  JudgeOptions judging{.seed = options.seed};
  judging.false_alarm_rate = rate * options.rate_share;
  judging.missed_rate *= options.rate_share;
  decision.verdicts = judge_cases(cases.cases, sides, judging, options.earlier);
  decision.combined = combine(decision.verdicts);
  if (guard.allows_times() && both(sides, has_timeline)) decision.difference = difference_of(base, changed);
  if (guard.allows_times() && both(sides, has_measures)) decision.kernels = kernel_changes(base, changed);
  return decision;
}

}  // namespace sonde::gate
