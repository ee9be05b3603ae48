#include "base/text/calendar.h"
#include "report/history/history_report.h"
#include "report/table_formats/shared_csv_cell.h"
#include "report/tables/cells.h"

namespace sonde {
namespace {

std::string csv_cell(std::string_view text) {
  std::string cell;
  append_csv_cell(cell, text);
  return cell;
}

/// The mean of the part that a value belongs to; of a series without a change that of all.
double level_of(const gate::HistorySeries& series, size_t index) {
  double level = 0;
  if (series.changes.empty()) {
    for (const gate::HistoryPoint& p : series.points) level += p.value / static_cast<double>(series.points.size());
    return level;
  }
  level = series.changes.front().before;
  for (const gate::ChangePoint& change : series.changes) {
    if (change.index <= index) level = change.after;
  }
  return level;
}

const gate::ChangePoint* change_at(const gate::HistorySeries& series, size_t index) {
  for (const gate::ChangePoint& change : series.changes) {
    if (change.index == index) return &change;
  }
  return nullptr;
}

}  // namespace

std::string history_csv(const gate::History& history) {
  std::string text = "metric,unit,series,time,commit,entry,value,level,change,p\n";
  for (const gate::HistorySeries& series : history.series) {
    for (size_t i = 0; i < series.points.size(); ++i) {
      const gate::HistoryPoint& point = series.points[i];
      const gate::ChangePoint* change = change_at(series, i);
      text += fmt::format("{},{},{},{}Z,{},{},{},{},{},{}\n", csv_cell(series.metric), unit_symbol(series.unit),
                          csv_cell(series.title), moment_text(point.time_s), csv_cell(point.commit),
                          csv_cell(point.entry), point.value, level_of(series, i),
                          change == nullptr           ? ""
                          : is_worse(series, *change) ? "worse"
                                                      : "better",
                          change == nullptr ? "" : fmt::format("{}", change->p));
    }
  }
  return text;
}

}  // namespace sonde
