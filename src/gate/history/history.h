#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "gate/history/change_points.h"
#include "gate/metric.h"
#include "gate/store/baseline_store.h"

/// A figure over time.
namespace sonde::gate {

struct HistoryPoint {
  int64_t time_s = 0;  ///< since 1970, UTC
  std::string commit;  ///< empty where it is not known
  std::string entry;   ///< id of the baseline's entry; empty of a CSV file
  double value = 0;    ///< mean of the entry's runs, in the metric's unit
};

/// Values that may be compared with each other, oldest first.
struct HistorySeries {
  std::string metric;
  Unit unit = Unit::none;
  Better better = Better::lower;
  std::string title;      ///< what it was made on: "NVIDIA H100, driver 550"; may be empty
  Conditions conditions;  ///< that forbid timed comparison where they differ
  std::vector<HistoryPoint> points;
  std::vector<ChangePoint> changes;
};

struct History {
  std::vector<HistorySeries> series;
  std::vector<std::string> notes;  ///< for people: what was left out, why there are several series
};

struct HistoryOptions {
  std::vector<std::string> metrics = {};             ///< none: headline_metrics() that there are
  std::vector<std::string> higher_is_better = {};    ///< columns of a CSV file
  std::vector<std::string> allowed_conditions = {};  ///< that may differ within a series
  std::optional<int64_t> since_s = {};               ///< older ones are left out
  ChangePointOptions change_points = {};
};

/// What is shown of a run where nothing is asked for.
[[nodiscard]] std::span<const std::string_view> headline_metrics();

/// The value of a metric of one run, of times the median; absent where the profile does not tell it.
[[nodiscard]] std::optional<double> run_figure(const RunRecord& run, const Metric& metric);

/// Whether all of the metrics are some of metrics.inc, as those of entries have to be.
[[nodiscard]] Status check_metrics(const HistoryOptions& options);

/// Of entries, oldest first. Records that cannot be read are named in the notes. The error: a metric that is none.
[[nodiscard]] Result<History> history_of_entries(const std::string& store, std::span<const BaselineEntry> entries,
                                                 const HistoryOptions& options);

/// Of a CSV text with a header: `time`, `commit` (or `version`), and a column for each metric, as Apache Otava reads
/// it. Separated by ',', ';' or tabs, as the header is. Columns that hold no number are passed over, and so are empty
/// cells. The error names the line.
[[nodiscard]] Result<History> history_of_csv(std::string_view csv, const HistoryOptions& options);

/// Whether the change is for the worse.
[[nodiscard]] bool is_worse(const HistorySeries& series, const ChangePoint& change);

/// A change for the worse that is found with the newest value and was not found without it; absent where there is none.
[[nodiscard]] std::optional<ChangePoint> new_regression(const HistorySeries& series, const ChangePointOptions& options);

}  // namespace sonde::gate
