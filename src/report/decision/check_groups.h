#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/decision/checks.h"

/// Many checks of one rule that have the same to say.
namespace sonde {

/// Checks of one rule with the same word and reason, those that got worse most first; or a single check.
struct CheckGroup {
  std::vector<DecisionCheck> checks;  ///< one at least
  std::string says;                   ///< what is true of them all, as a sentence; empty for a single check
};

/// Fewer checks with the same reason are listed one by one.
inline constexpr size_t kMinGrouped = 4;
/// Checks of a group that are shown to people.
inline constexpr size_t kMaxGrouped = 10;

/// Those that do not pass, in the order of checks_of(); a group stands where its first check does.
[[nodiscard]] std::vector<CheckGroup> open_groups(const std::vector<DecisionCheck>& checks);

/// "kernel_time, at most 5 % worse: 13 checks"
[[nodiscard]] std::string group_name(const CheckGroup& group);

/// A figure of a check for people, "-" where it has none.
[[nodiscard]] std::string figure_text(const DecisionCheck& check, const std::optional<double>& figure);

/// "+18.0 %", "-" where there is no ratio.
[[nodiscard]] std::string ratio_text(const gate::Verdict& verdict);

/// "+15.0 % to +21.0 %", the confidence interval; empty where there is none that says anything.
[[nodiscard]] std::string interval_text(const gate::Verdict& verdict);

}  // namespace sonde
