#pragma once

#include <memory>
#include <string>

#include "gate/decide/decision.h"

namespace sonde::sample_decisions {

/// A decision written by hand, with the budget that its verdicts refer to.
struct SampleDecision {
  gate::Budget budget;
  gate::Decision decision;
};

/// Of every outcome, reason and severity something. `name` is what a kernel, module, rule, file and label are called.
[[nodiscard]] std::unique_ptr<SampleDecision> sample_decision(const std::string& name = "flash_fwd");

/// One check that passes, without a baseline.
[[nodiscard]] std::unique_ptr<SampleDecision> passing_decision();

/// `kernels` kernels of which the last is slower.
[[nodiscard]] std::unique_ptr<SampleDecision> many_kernels(size_t kernels);

/// Names that no format may trip over: markup, control characters, line ends, emoji, bytes that are no UTF-8, what
/// commands of GitHub Actions and printf take for theirs, and 10,000 characters.
[[nodiscard]] std::string hostile_name();

}  // namespace sonde::sample_decisions
