#include <array>
#include <cmath>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/moment.h"
#include "base/time_units.h"

namespace sonde::api {
namespace get_gpu_history {
namespace {

using Json = nlohmann::ordered_json;

Answered<int64_t> moment_of(const Call& call, std::string_view name, std::string_view otherwise) {
  const std::string_view given = call.query(name);
  const auto moment_ns = moment_of_text(given.empty() ? otherwise : given, call.services.now_ns());
  if (moment_ns) return *moment_ns;
  return std::unexpected(refuse("invalid_parameter", {{"parameter", name}, {"what", moment_ns.error().message}}));
}

Answered<monitor::HistoryQuery> query_of(const Call& call, const std::string& uuid) {
  const auto from_ns = moment_of(call, "from", "-1h");
  if (!from_ns) return std::unexpected(from_ns.error());
  const auto to_ns = moment_of(call, "to", "now");
  if (!to_ns) return std::unexpected(to_ns.error());
  if (*from_ns >= *to_ns) {
    return std::unexpected(refuse("invalid_parameter", {{"parameter", "from"}, {"what", "must be earlier than 'to'"}}));
  }
  monitor::HistoryQuery query;
  query.gpu_uuid = uuid;
  query.values = query_list(call, "value");
  query.from_ns = *from_ns;
  query.to_ns = *to_ns;
  query.resolution_ns = query_integer(call, "resolution", 0) * kNsPerSecond;
  return query;
}

Json points(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  return list;
}

std::string_view unit_of(std::string_view value) {
  const auto rows = monitor::history_values();
  const auto row = std::ranges::find(rows, value, &monitor::HistoryValue::name);
  return row == rows.end() ? std::string_view() : row->unit;
}

Json series_json(const monitor::HistorySeries& series) {
  return {{"value", series.value},
          {"unit", unit_of(series.value)},
          {"minimum", points(series.minimum)},
          {"mean", points(series.mean)},
          {"maximum", points(series.maximum)}};
}

Json range_json(const monitor::HistoryRange& range, const monitor::GpuView& gpu, bool simulated) {
  Json body = {{"gpu", gpu.uuid},
               {"resolution_seconds", static_cast<double>(range.resolution_ns) / kNsPerSecond},
               {"moments", Json::array()},
               {"series", Json::array()}};
  if (simulated) body["simulated"] = true;
  for (const int64_t moment_ns : range.moments_ns)
    body["moments"].push_back(static_cast<double>(moment_ns) / kNsPerSecond);
  for (const auto& series : range.series) body["series"].push_back(series_json(series));
  return body;
}

Response answer(const Call& call) {
  const auto host = call.services.monitor->snapshot();
  const auto gpu = find_gpu(*host, call.path_values.front());
  if (!gpu) return gpu.error();
  const auto query = query_of(call, (*gpu)->uuid);
  if (!query) return query.error();
  const auto range = call.services.history->query(*query);
  if (!range) return refuse("history_unavailable", {{"what", range.error().message}});
  return json_response(range_json(*range, **gpu, host->source.simulated || (*gpu)->sample.reading.simulated));
}

constexpr std::array kParameters = {
    Parameter{.name = "value",
              .schema = R"({"type": "array", "items": {"$ref": "#/components/schemas/HistoryValue"}, "maxItems": 64})",
              .description = "Values, separated by commas; default: all"},
    Parameter{.name = "from",
              .schema = R"({"type": "string", "minLength": 1, "maxLength": 40})",
              .description =
                  "RFC 3339, seconds since 1970, or relative to now: `-90s`, `-15m`, `-1h`, `-7d`. Default: `-1h`"},
    Parameter{.name = "to",
              .schema = R"({"type": "string", "minLength": 1, "maxLength": 40})",
              .description = "End, in the formats of `from`; default: `now`"},
    Parameter{
        .name = "resolution",
        .schema = R"({"type": "integer", "minimum": 1, "maximum": 604800})",
        .description = "Minimum seconds per point; default: the finest resolution that gives at most 2000 points"},
};
constexpr std::array<std::string_view, 2> kProblems = {"unknown_gpu", "history_unavailable"};

}  // namespace
}  // namespace get_gpu_history

extern const Route get_gpu_history_route;
constinit const Route get_gpu_history_route{
    .name = "get_gpu_history",
    .path = "/api/v1/gpus/{gpu}/history",
    .summary = "Values of a GPU over time: minimum, mean and maximum of each point",
    .description = "null if nothing was measured. The last point may be incomplete.",
    .parameters = get_gpu_history::kParameters,
    .body = {},
    .response = R"({"$ref": "#/components/schemas/History"})",
    .example = {},
    .problems = get_gpu_history::kProblems,
    .answer = get_gpu_history::answer};

}  // namespace sonde::api
