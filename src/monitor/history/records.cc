#include "monitor/history/records.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "monitor/json.h"

namespace sonde::monitor::history {
namespace {

std::optional<int64_t> moment_in(const Json& json, const char* key) {
  if (!json.contains(key) || json.at(key).is_null()) return std::nullopt;
  return json.at(key).get<int64_t>();
}

Json of_moment(const std::optional<int64_t>& moment_ns) { return moment_ns ? Json(*moment_ns) : Json(nullptr); }

Json arguments_of(const Incident& incident) {
  Json list = Json::array();
  for (const Argument& argument : incident.arguments) list.push_back(Json::array({argument.name, argument.value}));
  return list;
}

Severity severity_of(const std::string& name) {
  for (const Severity severity : {Severity::info, Severity::critical}) {
    if (severity_name(severity) == name) return severity;
  }
  return Severity::warning;
}

WasteKind waste_kind_of(const std::string& name) {
  for (const WasteKind kind : {WasteKind::dead_memory, WasteKind::unused}) {
    if (waste_name(kind) == name) return kind;
  }
  return WasteKind::held_idle;
}

Incident incident_of(const Json& json) {
  Incident incident{.id = json.at("id").get<int64_t>(),
                    .detector = json.at("detector").get<std::string>(),
                    .gpu_uuid = json.at("gpu_uuid").get<std::string>(),
                    .gpu_index = json.at("gpu_index").get<int64_t>(),
                    .subject = json.at("subject").get<std::string>(),
                    .severity = severity_of(json.at("severity").get<std::string>()),
                    .summary = json.at("summary").get<std::string>(),
                    .action = json.at("action").get<std::string>(),
                    .arguments = {},
                    .xids = json.at("xids").get<std::vector<int64_t>>(),
                    .opened_ns = json.at("opened_ns").get<int64_t>(),
                    .last_seen_ns = json.at("last_seen_ns").get<int64_t>(),
                    .cleared_ns = moment_in(json, "cleared_ns"),
                    .cleared_by = json.at("cleared_by").get<std::string>(),
                    .times_seen = json.at("times_seen").get<int64_t>(),
                    .acknowledged_ns = moment_in(json, "acknowledged_ns"),
                    .acknowledged_by = json.at("acknowledged_by").get<std::string>(),
                    .simulated = json.at("simulated").get<bool>()};
  for (const Json& argument : json.at("arguments")) {
    incident.arguments.push_back({argument.at(0).get<std::string>(), argument.at(1).get<std::string>()});
  }
  return incident;
}

WasteEntry waste_of(const Json& json) {
  return {.gpu_uuid = json.at("gpu_uuid").get<std::string>(),
          .kind = waste_kind_of(json.at("kind").get<std::string>()),
          .user = json.at("user").get<std::string>(),
          .container = json.at("container").get<std::string>(),
          .hours = json.at("hours").get<double>(),
          .energy_kwh = json.at("energy_kwh").get<double>(),
          .money = json.at("money").get<double>(),
          .since_ns = json.at("since_ns").get<int64_t>(),
          .until_ns = json.at("until_ns").get<int64_t>()};
}

/// The library throws for a text that is no JSON, and for a member that is missing or of another type.
template <typename Make>
auto made(std::string_view text, const Make& make) -> std::optional<decltype(make(Json()))> {
  try {
    return make(Json::parse(text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string text_of(const Incident& incident) {
  return json_line({{"id", incident.id},
                    {"detector", incident.detector},
                    {"gpu_uuid", incident.gpu_uuid},
                    {"gpu_index", incident.gpu_index},
                    {"subject", incident.subject},
                    {"severity", severity_name(incident.severity)},
                    {"summary", incident.summary},
                    {"action", incident.action},
                    {"arguments", arguments_of(incident)},
                    {"xids", incident.xids},
                    {"opened_ns", incident.opened_ns},
                    {"last_seen_ns", incident.last_seen_ns},
                    {"cleared_ns", of_moment(incident.cleared_ns)},
                    {"cleared_by", incident.cleared_by},
                    {"times_seen", incident.times_seen},
                    {"acknowledged_ns", of_moment(incident.acknowledged_ns)},
                    {"acknowledged_by", incident.acknowledged_by},
                    {"simulated", incident.simulated}});
}

std::string text_of(const WasteEntry& entry) {
  return json_line({{"gpu_uuid", entry.gpu_uuid},
                    {"kind", waste_name(entry.kind)},
                    {"user", entry.user},
                    {"container", entry.container},
                    {"hours", entry.hours},
                    {"energy_kwh", entry.energy_kwh},
                    {"money", entry.money},
                    {"since_ns", entry.since_ns},
                    {"until_ns", entry.until_ns}});
}

std::optional<Incident> incident_of_text(std::string_view text) { return made(text, incident_of); }
std::optional<WasteEntry> waste_of_text(std::string_view text) { return made(text, waste_of); }

}  // namespace sonde::monitor::history
