#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

/// What a metric is about. The rows are in families.inc.
enum class MetricFamily : uint8_t {
#define SONDE_FAMILY(id, title) id,
#include "metrics/families.inc"
#undef SONDE_FAMILY
  count_
};

[[nodiscard]] std::string_view title_of(MetricFamily family);

struct MetricInfo {
  std::string unit;  ///< base unit in ncu's words ("ns", "byte", "byte/s", "%", "inst/cycle"); empty for plain numbers
  MetricFamily family = MetricFamily::inherit;
  std::string meaning;  ///< one sentence
};

/// What a metric of Nsight Compute is, by its name: counters are in counters.inc and facts.inc; what qualifiers,
/// rollups and submetrics add follows by rule. Absent for a name that has a part which the tables do not know.
[[nodiscard]] std::optional<MetricInfo> describe_metric(std::string_view name);

/// The base unit of a metric in ncu's words. For a name that the tables do not know, the words in it decide: "sectors",
/// "bytes", "inst_executed" and so on, and what follows the rollup. ncu has another unit for derived multiples of
/// thread instructions before compute capability 9.0.
[[nodiscard]] std::string unit_of_metric(std::string_view name, std::optional<int> capability = std::nullopt);

}  // namespace sonde
