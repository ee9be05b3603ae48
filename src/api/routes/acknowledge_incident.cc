#include <array>

#include "api/incident_change.h"

namespace sonde::api {
namespace acknowledge_incident {
namespace {

Response answer(const Call& call) { return change_incident(call, &monitor::Monitor::acknowledge); }

constexpr std::array<std::string_view, 3> kProblems = {"unknown_incident", "incident_over", "history_unavailable"};

}  // namespace
}  // namespace acknowledge_incident

extern const Route acknowledge_incident_route;
constinit const Route acknowledge_incident_route{
    .name = "acknowledge_incident",
    .method = Method::post,
    .path = "/api/v1/incidents/{id}/acknowledge",
    .role = Role::submit,
    .summary = "Acknowledge an open incident",
    .description = "The incident stays open. The name of the key is stored.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Incident"})",
    .example = {},
    .problems = acknowledge_incident::kProblems,
    .answer = acknowledge_incident::answer};

}  // namespace sonde::api
