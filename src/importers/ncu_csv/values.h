#pragma once

#include <optional>
#include <string_view>

#include "trace/trace.h"

namespace sonde::ncu_csv {

/// A value as ncu prints it, times `factor`: "1,073,741,824", "6.75", "CachePreferNone"; absent for "" and "n/a". A
/// whole number stays an exact integer where the factor is 1.
[[nodiscard]] MetricValue value_of(std::string_view text, double factor, StringPool& names);

/// The same with the parts of the metric behind it: "8 (5; 3)".
void read_value(std::string_view text, double factor, StringPool& names, Metric& metric);

/// "(32, 4, 1)".
[[nodiscard]] std::optional<Dim3> dimensions_of(std::string_view text);

}  // namespace sonde::ncu_csv
