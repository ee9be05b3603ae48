#pragma once

#include "gate/verdict.h"

/// Parts of judge().
namespace sonde::gate {

/// A verdict without outcome, its arguments naming metric and subject.
[[nodiscard]] Verdict begin_verdict(const Subject& subject);

/// An argument in the metric's unit.
[[nodiscard]] Argument figure(std::string name, const Metric& metric, double value);

/// A verdict on what is missing, or nothing.
[[nodiscard]] std::optional<Verdict> missing_figures(const Subject& subject);

[[nodiscard]] Verdict judge_bound(const Subject& subject, const FixedBound& bound);
[[nodiscard]] Verdict judge_exact(const Subject& subject, const AllowedChange& change);

}  // namespace sonde::gate
