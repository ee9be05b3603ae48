#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gate/decide/decision.h"

/// The verdicts of a decision as people read them.
namespace sonde {

/// How much a verdict asks for, most first.
enum class CheckLevel : uint8_t {
  error,    ///< fails, or could not be made, by a rule of severity error: the gate does not pass
  warning,  ///< the same by a rule of severity warning; open by one of severity error
  note,     ///< open by a rule of severity warning
  none,     ///< passes
};

struct DecisionCheck {
  const gate::Verdict* verdict = nullptr;
  size_t index = 0;  ///< of the verdict in the decision
  CheckLevel level = CheckLevel::none;
  std::string_view word;  ///< "fail", "warning" (a fail by a rule of that severity), "not comparable", ...
  std::string name;       ///< rule and subject on one line: "step_time <= 100 ms (the run)"
  std::string says;       ///< the reason as a sentence on one line
};

/// In the order in which they matter: by level, then failed before not comparable before open, then as in the decision.
[[nodiscard]] std::vector<DecisionCheck> checks_of(const gate::Decision& decision);

/// In the order of the budget.
[[nodiscard]] std::vector<DecisionCheck> checks_in_order(const gate::Decision& decision);

/// The combined verdict: "fail", "not comparable", ... and why.
[[nodiscard]] std::string_view combined_word(const gate::Decision& decision);
[[nodiscard]] std::string combined_says(const gate::Decision& decision);

/// How many checks have the word.
[[nodiscard]] size_t count_of(const std::vector<DecisionCheck>& checks, std::string_view word);

/// A text of a catalogue, or its id where the catalogue does not have it, on one line.
[[nodiscard]] std::string decided_text(std::string_view text, std::string_view id, std::vector<Argument> arguments);

[[nodiscard]] std::string cause_says(const gate::Cause& cause);

/// "flash_fwd: registers 64 to 72, occupancy 75.0 % to 50.0 %, time 100 us to 118 us"
[[nodiscard]] std::string kernel_change_says(const gate::KernelChange& change);

/// "driver: 550.54.14 in the baseline, 560.35.03 now", "..., which was allowed".
[[nodiscard]] std::string condition_says(const gate::ConditionDifference& difference);

/// "5 runs of v1.2"
[[nodiscard]] std::string side_heading(const gate::DecidedSide& side);

}  // namespace sonde
