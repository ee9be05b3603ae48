#include "report/decision/checks.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text/text_width.h"
#include "report/tables/comparison.h"
#include "report/tables/quantity.h"
#include "report/text/plain_text.h"
#include "report/text/sentence.h"

namespace sonde {
namespace {

using gate::Outcome;
using gate::Severity;

CheckLevel level_of(const gate::Verdict& verdict) {
  const bool error = verdict.rule->severity == Severity::error;
  switch (verdict.outcome) {
    case Outcome::pass: return CheckLevel::none;
    case Outcome::learning: return CheckLevel::note;
    case Outcome::inconclusive: return error ? CheckLevel::warning : CheckLevel::note;
    case Outcome::fail:
    case Outcome::not_comparable: break;
  }
  return error ? CheckLevel::error : CheckLevel::warning;
}

std::string_view word_of(Outcome outcome) {
  return outcome == Outcome::not_comparable ? "not comparable" : gate::outcome_name(outcome);
}

std::string_view word_of(const gate::Verdict& verdict) {
  const bool warns = verdict.outcome == Outcome::fail && verdict.rule->severity == Severity::warning;
  return warns ? "warning" : word_of(verdict.outcome);
}

/// Fails first, then what could not be made, then what is open.
int rank_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::fail: return 0;
    case Outcome::not_comparable: return 1;
    case Outcome::inconclusive: return 2;
    case Outcome::learning: return 3;
    case Outcome::pass: break;
  }
  return 4;
}

constexpr size_t kLongestName = 120;

std::string short_line(std::string_view text) { return cut_middle(one_line(text), kLongestName); }

}  // namespace

std::vector<DecisionCheck> checks_in_order(const gate::Decision& decision) {
  std::vector<DecisionCheck> checks;
  for (const gate::Verdict& v : decision.verdicts) {
    checks.push_back({.verdict = &v,
                      .index = checks.size(),
                      .level = level_of(v),
                      .word = word_of(v),
                      .name = one_line(fmt::format("{} ({})", v.rule->name, v.subject)),
                      .says = decided_text(gate::reason_text(v.reason), v.reason, v.arguments)});
  }
  return checks;
}

std::vector<DecisionCheck> checks_of(const gate::Decision& decision) {
  std::vector<DecisionCheck> checks = checks_in_order(decision);
  std::ranges::stable_sort(checks, {},
                           [](const DecisionCheck& c) { return std::tuple(c.level, rank_of(c.verdict->outcome)); });
  return checks;
}

std::string_view combined_word(const gate::Decision& decision) { return word_of(decision.combined.outcome); }

std::string combined_says(const gate::Decision& decision) {
  const gate::CombinedVerdict& combined = decision.combined;
  return decided_text(gate::reason_text(combined.reason), combined.reason, combined.arguments);
}

size_t count_of(const std::vector<DecisionCheck>& checks, std::string_view word) {
  return static_cast<size_t>(std::ranges::count(checks, word, &DecisionCheck::word));
}

std::string decided_text(std::string_view text, std::string_view id, std::vector<Argument> arguments) {
  for (Argument& a : arguments) a.text = one_line(a.text);
  return text.empty() ? std::string(id) : comparing_sentence(text, arguments);
}

std::string cause_says(const gate::Cause& cause) {
  return decided_text(gate::cause_text(cause.id), cause.id, cause.arguments);
}

std::string kernel_change_says(const gate::KernelChange& change) {
  return fmt::format("{}: {}", short_line(change.kernel), one_line(chain_sentence(change)));
}

std::string condition_says(const gate::ConditionDifference& difference) {
  return fmt::format("{}: {} in the baseline, {} in the new runs{}", difference.condition->title,
                     short_line(difference.base), short_line(difference.changed),
                     difference.allowed ? " (allowed)" : "");
}

std::string side_heading(const gate::DecidedSide& side) {
  const std::string runs = counted(static_cast<int64_t>(side.sources.size()), "run");
  return side.label.empty() ? runs : fmt::format("{} of {}", runs, short_line(side.label));
}

}  // namespace sonde
