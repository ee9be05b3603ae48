#include "gate/from_nothing.h"

#include <algorithm>

#include "gate/exact_verdict.h"

namespace sonde::gate {
namespace {

bool is_nothing(const TimedRuns& runs) {
  return std::ranges::all_of(run_centres(runs, Centre::median), [](double centre) { return centre == 0; });
}

/// The words of times for what judge_exact() found.
std::string_view reason_of(std::string_view exact, bool added) {
  if (!added) return exact == "exact_better" ? "time_removed" : exact;
  if (exact == "exact_worse") return "time_added";
  if (exact == "exact_varies") return "time_added_in_some";
  return exact == "exact_allowed" ? "time_added_allowed" : exact;
}

}  // namespace

std::optional<Verdict> judge_from_nothing(const Subject& subject, const AllowedChange& change) {
  const bool nothing_before = is_nothing(*subject.base);
  if (!nothing_before && !is_nothing(subject.changed)) return std::nullopt;
  Verdict verdict = judge_exact(subject, change);
  if (subject.rule->metric->better == Better::lower) verdict.reason = reason_of(verdict.reason, nothing_before);
  return verdict;
}

}  // namespace sonde::gate
