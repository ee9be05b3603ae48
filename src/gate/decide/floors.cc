#include "gate/decide/floors.h"

#include <algorithm>
#include <array>

#include "gate/decide/decision_words.h"
#include "gate/noise_floor.h"

namespace sonde::gate {
namespace {

/// What the noise of a machine depends on.
constexpr auto kOfMachine =
    std::to_array<std::string_view>({"kind", "tool", "gpu", "mig", "driver", "cpu", "ranks", "clock_control"});

bool needs_floor(const Case& one) {
  return one.subject.rule->metric->kind == MetricKind::timed &&
         std::holds_alternative<AllowedChange>(one.subject.rule->demand) && one.subject.base && !one.refusal;
}

/// A condition that floors and runs both know, and differ in.
std::optional<std::string> other_machine(const CalibratedFloors& floors, std::span<const RunRecord> runs) {
  for (const std::string_view name : kOfMachine) {
    const auto theirs = floors.conditions.find(name);
    if (theirs == floors.conditions.end()) continue;
    for (const RunRecord& run : runs) {
      const auto ours = run.conditions.find(name);
      if (ours == run.conditions.end() || ours->second == theirs->second) continue;
      return worded("other_floors", fmt::arg("condition", find_condition(name)->title),
                    fmt::arg("theirs", theirs->second), fmt::arg("ours", ours->second));
    }
  }
  return std::nullopt;
}

/// Of a pool without its number, which may differ from that of the calibration: "12 small kernels", "small kernels".
std::string_view without_count(std::string_view name) {
  const size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  return digits > 0 && name.substr(digits).starts_with(' ') ? name.substr(digits + 1) : name;
}

const std::vector<double>* centres_for(const CalibratedFloors& floors, const Subject& subject) {
  for (const auto& [key, centres] : floors.centres) {
    const auto& [metric, name] = key;
    if (metric == subject.rule->metric->name && without_count(name) == without_count(subject.name)) return &centres;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> apply_floors(std::span<Case> cases, const Sides& sides, const DecideOptions& options) {
  const auto all = std::ranges::count_if(cases, needs_floor);
  if (all == 0) return {};
  if (options.floors == nullptr) return {std::string(word_text("not_calibrated"))};
  if (auto other = other_machine(*options.floors, sides.changed)) return {std::move(*other)};
  int64_t without = 0;
  for (Case& one : cases) {
    if (!needs_floor(one)) continue;
    if (const auto* centres = centres_for(*options.floors, one.subject)) {
      one.subject.noise_floor = noise_floor(*centres, sides.base.size(), sides.changed.size());
    }
    without += one.subject.noise_floor ? 0 : 1;
  }
  if (without == 0) return {};
  return {worded("no_floor_for", fmt::arg("count", without), fmt::arg("all", all))};
}

}  // namespace sonde::gate
