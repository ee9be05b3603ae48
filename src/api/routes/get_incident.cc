#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace get_incident {
namespace {

Response answer(const Call& call) {
  const auto incident = find_incident(call.services, call.path_values.front());
  return incident ? json_response(monitor::incident_json(*incident)) : incident.error();
}

constexpr std::array<std::string_view, 2> kProblems = {"unknown_incident", "history_unavailable"};

}  // namespace
}  // namespace get_incident

extern const Route get_incident_route;
constinit const Route get_incident_route{.name = "get_incident",
                                         .path = "/api/v1/incidents/{id}",
                                         .summary = "An incident, open or cleared",
                                         .description = {},
                                         .parameters = {},
                                         .body = {},
                                         .response = R"({"$ref": "#/components/schemas/Incident"})",
                                         .example = {},
                                         .problems = get_incident::kProblems,
                                         .answer = get_incident::answer};

}  // namespace sonde::api
