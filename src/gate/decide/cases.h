#pragma once

#include <span>
#include <string>
#include <vector>

#include "gate/decide/figures.h"
#include "gate/record/run_record.h"
#include "gate/verdict.h"

/// From the rules of a budget to the figures that they are about.
namespace sonde::gate {

/// Why a figure is not judged.
struct Refusal {
  std::string_view reason;  ///< id in reasons_en.inc
  std::vector<Argument> arguments = {};
};

/// A subject and where its values come from.
struct Case {
  Subject subject;
  const Figure* figure = nullptr;
  Scope scope = {};
  std::optional<Refusal> refusal = {};
};

/// The two sides of a decision. Without runs of the baseline there is none.
struct Sides {
  std::span<const RunRecord> base;
  std::span<const RunRecord> changed;
};

/// A kernel or module with less of the GPU time of the baseline than this on both sides is judged together with the
/// others like it: its own time is mostly noise, and each further test makes all others less sharp.
inline constexpr double kSmallShare = 0.01;

struct Cases {
  std::vector<Case> cases;         ///< in the order of the rules
  std::vector<std::string> notes;  ///< what was left out, for people
};

/// `budget` outlives the cases.
[[nodiscard]] Cases cases_of(const Budget& budget, const Sides& sides);

/// A figure of a run each.
[[nodiscard]] TimedRuns values_of(const Figure& figure, const Scope& scope, std::span<const RunRecord> runs);

}  // namespace sonde::gate
