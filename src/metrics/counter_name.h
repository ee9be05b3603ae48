#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metrics/catalogue.h"

namespace sonde {

struct CounterInfo {
  std::string unit;  ///< may end in ".cycle", see counters.inc
  MetricFamily family = MetricFamily::inherit;
  std::string meaning;  ///< a sentence without its full stop
};

/// What a counter counts, without rollup and submetric: a row of facts.inc, or the longest stem of counters.inc behind
/// which only qualifiers stand.
[[nodiscard]] std::optional<CounterInfo> describe_counter(std::string_view counter);

/// What several of a hardware unit are called: "L2 slices" for lts.
[[nodiscard]] std::string_view plural_of(std::string_view hardware);

}  // namespace sonde
