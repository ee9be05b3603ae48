#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gate/decide/decision.h"

namespace sonde {

/// All that `sonde compare` tells of two sides.
struct Comparison {
  std::vector<std::string> base_sources;
  std::vector<std::string> changed_sources;
  std::vector<gate::ConditionDifference> conditions;
  std::vector<std::string> notes;     ///< for people: what is not known of the conditions
  std::vector<std::string> warnings;  ///< for people: what makes the sides hard to compare, the checks that fail
  std::vector<std::string> limits;    ///< for people: what cannot be compared, and what is compared instead
  std::optional<gate::Difference> difference;     ///< of timelines
  std::vector<gate::KernelChange> kernel_chains;  ///< of kernel reports
};

/// The records must be all timelines or all kernel reports.
[[nodiscard]] Comparison comparison_of(std::span<const gate::RunRecord> base, std::span<const gate::RunRecord> changed);

/// What cannot be compared, and what is compared instead, for people.
[[nodiscard]] std::vector<std::string> limits_of(const gate::Difference& difference,
                                                 std::span<const gate::RunRecord> base,
                                                 std::span<const gate::RunRecord> changed);
/// "steps", "gpu_work", "run", as documents have it.
[[nodiscard]] std::string_view part_name(gate::PartOfRun part);

/// "slower", "added", "other configuration", ...
[[nodiscard]] std::string_view kind_word(gate::ChangeKind kind);
/// As keys and values of documents have it: "other_configuration".
[[nodiscard]] std::string_view kind_name(gate::ChangeKind kind);
/// "+1.20 ms", "-306 us", "0"
[[nodiscard]] std::string change_text(int64_t ns);
/// "+3.8 %"; nothing where the base is 0.
[[nodiscard]] std::string change_percent_text(double base, double changed);
/// Why, in a sentence.
[[nodiscard]] std::string cause_sentence(const gate::Cause& cause);
/// "registers 64 to 72, blocks per SM 3 to 2, occupancy 75.0 % to 50.0 %, time +18 %"
[[nodiscard]] std::string chain_sentence(const gate::KernelChange& change);
/// "-1.20 ms of it is due to the clock"; empty below 1 % of the time or a tenth of its change.
[[nodiscard]] std::string clock_note(double base_ns, double changed_ns, std::optional<int64_t> clock_ns);
/// "A mean step: 5.49 ms -> 5.70 ms (+207 us, +3.8 %)"
[[nodiscard]] std::string length_sentence(const gate::Difference& difference);
/// "Before the first GPU work: 750 ms -> 836 ms. After the last: 49.8 ms -> 151 ms." Empty where both are short.
[[nodiscard]] std::string setup_sentence(const gate::Difference& difference);

}  // namespace sonde
