#include <array>

#include "api/incident_change.h"

namespace sonde::api {
namespace clear_incident {
namespace {

Response answer(const Call& call) { return change_incident(call, &monitor::Monitor::clear); }

constexpr std::array<std::string_view, 3> kProblems = {"unknown_incident", "incident_over", "history_unavailable"};

}  // namespace
}  // namespace clear_incident

extern const Route clear_incident_route;
constinit const Route clear_incident_route{
    .name = "clear_incident",
    .method = Method::post,
    .path = "/api/v1/incidents/{id}/clear",
    .role = Role::admin,
    .summary = "Clear an open incident",
    .description = "Use it when the cause is fixed. The incident opens again if the cause is still observed.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Incident"})",
    .example = {},
    .problems = clear_incident::kProblems,
    .answer = clear_incident::answer};

}  // namespace sonde::api
