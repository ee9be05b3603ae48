#include "api/incident_change.h"

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace {

Response over(const monitor::Incident& incident) {
  return refuse("incident_over", {{"id", std::to_string(incident.id)},
                                  {"cleared", monitor::moment_text_ms(incident.cleared_ns.value_or(0))},
                                  {"by", incident.cleared_by}});
}

}  // namespace

Response change_incident(const Call& call, bool (monitor::Monitor::*change)(int64_t, const std::string&)) {
  const std::string& id = call.path_values.front();
  const auto before = find_incident(call.services, id);
  if (!before) return before.error();
  const bool changed = !before->cleared_ns && (call.services.monitor->*change)(before->id, call.caller.name);
  const auto after = find_incident(call.services, id);
  if (!after) return after.error();
  return changed ? json_response(monitor::incident_json(*after)) : over(*after);
}

}  // namespace sonde::api
