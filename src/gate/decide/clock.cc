#include "gate/decide/clock.h"

#include <algorithm>
#include <cmath>

#include "gate/decide/session_values.h"

namespace sonde::gate {
namespace {

using Clocks = std::vector<double>;

/// A clock of each run; absent where one does not tell it.
std::optional<Clocks> clocks_of(std::span<const RunRecord> runs, const Scope& scope) {
  Clocks clocks;
  for (const RunRecord& run : runs) {
    const auto clock = clock_of(run, scope);
    if (!clock) return std::nullopt;
    clocks.push_back(*clock);
  }
  return clocks.empty() ? std::nullopt : std::optional(clocks);
}

struct SideClocks {
  Clocks base;
  Clocks changed;
};

/// Absent for figures and runs that have none.
std::optional<SideClocks> clocks_for(const Case& one, const Sides& sides) {
  if (!one.figure->in_cycles || !one.subject.base) return std::nullopt;
  auto base = clocks_of(sides.base, one.scope);
  auto changed = clocks_of(sides.changed, one.scope);
  if (!base || !changed) return std::nullopt;
  return SideClocks{std::move(*base), std::move(*changed)};
}

void scale(TimedRuns& runs, const Clocks& clocks, double reference) {
  for (size_t i = 0; i < runs.size(); ++i) {
    for (double& value : runs[i]) value *= clocks[i] / reference;
  }
}

Argument hertz(std::string name, double clock) {
  constexpr double kMega = 1e6;
  return {.name = std::move(name), .unit = Unit::none, .number = std::round(clock / kMega), .text = {}};
}

}  // namespace

std::optional<double> clock_of(const RunRecord& run, const Scope& scope) {
  double sum = 0;
  double gpus = 0;
  for (const GpuOfRun& gpu : run.gpus) {
    if (scope.gpu && *scope.gpu != gpu.ordinal) continue;
    if (!gpu.sm_clock_hz || *gpu.sm_clock_hz <= 0) return std::nullopt;
    sum += *gpu.sm_clock_hz;
    ++gpus;
  }
  return gpus == 0 ? std::nullopt : std::optional(sum / gpus);
}

std::vector<Subject> at_one_clock(std::span<const Case> cases, const Sides& sides, const EarlierSessions* earlier) {
  std::vector<Subject> subjects;
  for (const Case& one : cases) {
    Subject& subject = subjects.emplace_back(one.subject);
    const auto clocks = clocks_for(one, sides);
    if (!clocks) continue;
    if (earlier != nullptr) {
      auto history = session_values(one, *earlier, mean_of(clocks->base));
      if (!history) continue;
      subject.history = std::move(*history);
    }
    scale(*subject.base, clocks->base, mean_of(clocks->base));
    scale(subject.changed, clocks->changed, mean_of(clocks->base));
  }
  return subjects;
}

void excuse_clock(std::span<const Case> cases, const Sides& sides, std::span<const Verdict> at_one,
                  std::span<Verdict> verdicts) {
  for (size_t i = 0; i < verdicts.size(); ++i) {
    Verdict& verdict = verdicts[i];
    if (verdict.outcome != Outcome::fail || (verdict.reason != "timed_worse" && verdict.reason != "session_worse"))
      continue;
    if (at_one[i].outcome == Outcome::fail) continue;
    const auto clocks = clocks_for(cases[i], sides);
    if (!clocks) continue;
    verdict.outcome = Outcome::inconclusive;
    verdict.reason = "clock_not_code";
    verdict.arguments.push_back(hertz("base_clock", mean_of(clocks->base)));
    verdict.arguments.push_back(hertz("clock", mean_of(clocks->changed)));
  }
}

}  // namespace sonde::gate
