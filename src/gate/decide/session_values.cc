#include "gate/decide/session_values.h"

#include <algorithm>
#include <cmath>

#include "gate/decide/clock.h"

namespace sonde::gate {
namespace {

bool may_be_judged(const Session& session) {
  return !session.runs.empty() &&
         std::ranges::all_of(session.runs, [](double value) { return std::isfinite(value) && value > 0; });
}

/// Absent where a clock is wanted and a run does not tell it.
std::optional<Session> values_in(const EarlierSession& earlier, const Case& one, std::optional<double> clock_hz) {
  Session session{.runs = {}, .new_level = earlier.new_level};
  for (const RunRecord& run : earlier.runs) {
    std::vector<double> centres = run_centres({one.figure->values(run, one.scope)}, Centre::median);
    const auto own = clock_hz ? clock_of(run, one.scope) : std::nullopt;
    if (clock_hz && !own) return std::nullopt;
    for (double& value : centres) value *= clock_hz ? *own / *clock_hz : 1;
    session.runs.insert(session.runs.end(), centres.begin(), centres.end());
  }
  return session;
}

}  // namespace

std::optional<SessionHistory> session_values(const Case& one, const EarlierSessions& earlier,
                                             std::optional<double> reference_clock_hz) {
  SessionHistory history;
  bool new_level = false;
  for (size_t i = 0; i < earlier.sessions.size(); ++i) {
    auto session = values_in(earlier.sessions[i], one, reference_clock_hz);
    if (!session) return std::nullopt;
    new_level = new_level || session->new_level;
    if (!may_be_judged(*session)) continue;
    session->new_level = new_level;
    new_level = false;
    if (earlier.level == i) history.level = history.sessions.size();
    history.sessions.push_back(std::move(*session));
  }
  return history;
}

void apply_sessions(std::span<Case> cases, const EarlierSessions& earlier) {
  for (Case& one : cases) {
    if (!std::holds_alternative<AllowedChange>(one.subject.rule->demand)) continue;
    const bool timed = one.subject.rule->metric->kind == MetricKind::timed;
    one.subject.history = timed ? session_values(one, earlier) : SessionHistory();
  }
}

}  // namespace sonde::gate
