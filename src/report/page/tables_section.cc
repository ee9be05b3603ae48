#include <algorithm>
#include <array>
#include <cmath>

#include "analyses/stats_report.h"
#include "base/parallel.h"
#include "report/page/json_columns.h"
#include "report/page/section.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

/// Rows that a table has on the page. A trace has a row an event, which the timeline shows better.
constexpr size_t kMostRows = 5000;
constexpr size_t kMostRowsOfTrace = 1000;

/// Runs with more events have no traces as tables: to list millions of events only to show the first thousand takes
/// longer than all else (0.3 s and more a table with 5 million events).
constexpr size_t kMostEventsOfTrace = 1'000'000;

std::string_view unit_word(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return "ns";
    case Unit::bytes: return "bytes";
    case Unit::megabytes: return "MB";
    case Unit::percent: return "%";
    case Unit::megabytes_per_second: return "MB/s";
    case Unit::gigabytes_per_second: return "GB/s";
    case Unit::gigaflop_per_second: return "GFLOP/s";
    case Unit::flop_per_byte: return "FLOP/B";
    case Unit::none: break;
  }
  return "none";
}

bool is_trace(const StatsReport& report) { return report.name.ends_with("_trace"); }

/// Moments, which are told from the first event on: "Start", "Kernel Start", "End".
bool is_moment(const Column& column) {
  if (column.unit != Unit::nanoseconds) return false;
  constexpr std::array<std::string_view, 2> kWords = {"Start", "End"};
  const std::string_view name = column.name;
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == ' ');
  });
}

Json cell_json(int64_t value, const Column& column, int64_t origin_ns) {
  if (value == kUnknown) return nullptr;
  return is_moment(column) ? value - origin_ns : value;
}

/// With the digits that the column has everywhere.
Json cell_json(double value, const Column& column, int64_t) {
  const double digits = std::pow(10.0, column.decimals);
  const double rounded = std::round(value * digits) / digits;
  return number_or_null(std::isfinite(rounded) ? rounded : value);
}

Json cell_json(std::string_view value, const Column&, int64_t) {
  return value.data() == nullptr ? Json(nullptr) : Json(value);
}

Json column_json(const Column& column, size_t rows, int64_t origin_ns) {
  Json values = Json::array();
  std::visit(
      [&](const auto& cells) {
        for (size_t row = 0; row < std::min(rows, cells.size()); ++row) {
          values.push_back(cell_json(cells[row], column, origin_ns));
        }
      },
      column.values);
  return {{"name", column.name},
          {"unit", unit_word(column.unit)},
          {"decimals", column.decimals},
          {"values", std::move(values)}};
}

Json heading_json(const StatsReport& report) {
  return {{"name", report.name}, {"title", report.title}, {"description", report.description}};
}

/// null where the profile has no data for it.
Json table_json(const StatsReport& report, const Trace& trace, int64_t origin_ns) {
  const auto table = report.run(trace, {.rows = -1});
  if (!table || table->rows() == 0) return nullptr;
  const size_t most = is_trace(report) ? kMostRowsOfTrace : kMostRows;
  Json document = heading_json(report);
  document["note"] = table->note;
  document["columns"] = Json::array();
  for (const Column& column : table->columns) document["columns"].push_back(column_json(column, most, origin_ns));
  document["rows"] = table->rows();
  return document;
}

/// In place of a table that would take too long.
Json left_out_json(const StatsReport& report) {
  Json document = heading_json(report);
  document["note"] =
      fmt::format("Not made for a run of so many events: see the timeline, or sonde stats -r {} FILE.", report.name);
  document["columns"] = Json::array();
  document["rows"] = 0;
  return document;
}

size_t event_count(const Trace& trace) {
  size_t events = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) { events += row_count(table); });
  return events;
}

Json write(const ReportSource& source) {
  const bool without_traces = event_count(source.trace) > kMostEventsOfTrace;
  const std::span<const StatsReport> reports = stats_reports();
  std::vector<Json> made(reports.size());
  parallel_for(reports.size(), [&](size_t i) {
    const bool left_out = without_traces && is_trace(reports[i]);
    made[i] = left_out ? left_out_json(reports[i]) : table_json(reports[i], source.trace, source.origin_ns());
  });
  Json tables = Json::array();
  for (Json& table : made) {
    if (!table.is_null()) tables.push_back(std::move(table));
  }
  return tables.empty() ? Json(nullptr) : Json{{"tables", std::move(tables)}};
}

}  // namespace

extern const ReportSection tables_section;
const ReportSection tables_section{"tables", "every statistics table that the profile has data for", write};

}  // namespace sonde
