#pragma once

#include <span>

#include "findings/checks.h"
#include "findings/facts.h"
#include "findings/finding.h"

namespace sonde {

/// What a finding explains, so that gpu_idle, which judges last, does not say it once more.
struct Claims {
  std::vector<std::vector<Span>> idle;  ///< by GPU: idle pieces that begin in one of these spans
  std::vector<Row> waits;               ///< rows of `api`, calls that wait for the GPU
  std::vector<Row> copies;              ///< rows of `copies` that a finding would not make
  std::vector<Row> kernels;             ///< rows of `kernels` that a finding would put into others
  std::vector<Row> side_by_side;        ///< rows of `kernels` that a finding would run beside others
};

/// What the rules made of a run.
struct Diagnosis {
  std::vector<Finding>
      findings;  ///< the highest ceiling first, mere bounds last; ceilings add up to the wall time at most
  std::vector<Abstention> abstentions;
  std::vector<std::string_view> not_recorded;  ///< what rules would have looked at too (coverage.inc)
  Claims claims;
};

/// Less of the judged time than this is not worth a sentence, unless a rule says otherwise.
inline constexpr double kWorthPercent = 1;

/// What conclusions on the timing of a loop need.
inline const Checks kLoopChecks{Check::records_complete, Check::past_warm_up, Check::launches_free};

/// One kind of problem. A rule is one file, and one line in list.inc.
struct Rule {
  std::string_view name;
  std::string_view description;
  Fields fields;  ///< what it reads
  Checks checks;  ///< what must hold for it to be asked
  /// Adds what it finds, or which check of the profile forbade a conclusion.
  void (*judge)(const Facts& facts, Diagnosis& diagnosis);
};

[[nodiscard]] std::span<const Rule* const> rules();
[[nodiscard]] Fields diagnosis_fields();
[[nodiscard]] Diagnosis diagnose(const Facts& facts);

}  // namespace sonde
