#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyses/tables/table.h"

namespace sonde::gate {

enum class MetricKind {
  timed,  ///< differs between runs of the same program: judged by statistics
  exact,  ///< does not: judged by comparison, one run is enough
};

enum class Better { lower, higher };

/// What a rule may narrow a metric to: a set of bits.
using Selectors = uint8_t;
namespace selector {
inline constexpr Selectors none = 0;    // NOLINT(readability-identifier-naming): words of metrics.inc
inline constexpr Selectors kernel = 1;  // NOLINT(readability-identifier-naming)
inline constexpr Selectors module = 2;  // NOLINT(readability-identifier-naming)
inline constexpr Selectors gpu = 4;     // NOLINT(readability-identifier-naming)
inline constexpr Selectors range = 8;   // NOLINT(readability-identifier-naming)
}  // namespace selector

struct Metric {
  std::string_view name;
  Unit unit;  ///< nanoseconds, bytes, percent or none (a count)
  MetricKind kind;
  Better better;
  Selectors selectors;
  std::string_view description;
};

/// All of metrics.inc, in its order.
[[nodiscard]] std::span<const Metric> metrics();
[[nodiscard]] std::span<const std::string_view> metric_names();

/// nullptr for a name that is none.
[[nodiscard]] const Metric* find_metric(std::string_view name);

}  // namespace sonde::gate
