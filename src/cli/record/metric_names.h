#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace sonde::record_cli {

struct MetricNames {
  std::vector<std::string> named;    ///< that somebody asked for by name
  std::vector<std::string> of_sets;  ///< of sets and sections: names of several generations of GPUs
  bool samples = false;              ///< of the program counter, too
  bool instructions = false;         ///< how often each ran, too
};

/// Adds the counters of a set, as "basic" or "detailed".
[[nodiscard]] Status add_set(MetricNames& names, std::string_view set);
/// Adds the counters of a section.
[[nodiscard]] Status add_section(MetricNames& names, std::string_view id);
/// Adds what a word of --metrics means: a set, a metric, a counter without rollup (all four of them), a quantity that
/// is computed from metrics (metrics/quantities.h), "breakdown:" and "group:" before the name of one, and "regex:"
/// before an expression that is searched in the names that Sonde knows.
[[nodiscard]] Status add_metric(MetricNames& names, std::string_view word);

}  // namespace sonde::record_cli
