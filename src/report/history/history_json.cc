#include <nlohmann/json.hpp>

#include "base/text/calendar.h"
#include "base/text/json_null.h"
#include "report/history/history_report.h"
#include "report/tables/cells.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHistorySchema = "sonde.history/1";

Json point_json(const gate::HistoryPoint& point) {
  return {{"time", moment_text(point.time_s) + "Z"},
          {"commit", text_or_null<Json>(point.commit)},
          {"entry", text_or_null<Json>(point.entry)},
          {"value", point.value}};
}

Json change_json(const gate::HistorySeries& series, const gate::ChangePoint& change) {
  const gate::HistoryPoint& point = series.points[change.index];
  const double size = std::abs(change.before);
  return {{"index", change.index},
          {"time", moment_text(point.time_s) + "Z"},
          {"commit", text_or_null<Json>(point.commit)},
          {"entry", text_or_null<Json>(point.entry)},
          {"before", change.before},
          {"after", change.after},
          {"change_percent", size == 0 ? Json() : Json(100 * (change.after - change.before) / size)},
          {"p", change.p},
          {"worse", is_worse(series, change)}};
}

Json series_json(const gate::HistorySeries& series) {
  Json document = {{"metric", series.metric},
                   {"unit", text_or_null<Json>(std::string(unit_symbol(series.unit)))},
                   {"better", series.better == gate::Better::lower ? "lower" : "higher"},
                   {"title", text_or_null<Json>(series.title)},
                   {"conditions", Json::object()},
                   {"values", Json::array()},
                   {"changes", Json::array()}};
  for (const auto& [name, value] : series.conditions) document["conditions"][name] = value;
  for (const gate::HistoryPoint& point : series.points) document["values"].push_back(point_json(point));
  for (const gate::ChangePoint& change : series.changes) document["changes"].push_back(change_json(series, change));
  return document;
}

}  // namespace

std::string history_json(const gate::History& history, const gate::ChangePointOptions& options) {
  Json document = {{"schema", kHistorySchema}, {"window", options.window},
                   {"max_p", options.max_p},   {"min_change_percent", 100 * options.min_magnitude},
                   {"series", Json::array()},  {"notes", history.notes}};
  for (const gate::HistorySeries& series : history.series) document["series"].push_back(series_json(series));
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sonde
