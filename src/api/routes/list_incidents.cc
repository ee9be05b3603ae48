#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "monitor/json.h"

namespace sonde::api {
namespace list_incidents {
namespace {

constexpr int64_t kDefaultLimit = 100;

/// A GPU that is gone may have incidents still: what names no GPU of now is taken as a UUID.
std::string uuid_of(const Call& call) {
  const std::string id(call.query("gpu"));
  if (id.empty()) return {};
  const auto host = call.services.monitor->snapshot();
  const auto gpu = find_gpu(*host, id);
  return gpu ? (*gpu)->uuid : id;
}

/// Open incidents are shown in their current state; the history has the state of the last change.
const monitor::Incident& as_now(const monitor::Incident& kept, const monitor::HostSnapshot& host) {
  const auto open = std::ranges::find(host.open, kept.id, &monitor::Incident::id);
  return open == host.open.end() ? kept : *open;
}

Response answer(const Call& call) {
  const int64_t limit = query_integer(call, "limit", kDefaultLimit);
  const bool open_only = call.query("state") != "all";
  // Reads one more than requested, to know whether there are more.
  const auto found =
      call.services.history->incidents(uuid_of(call), open_only, query_integer(call, "before", 0), limit + 1);
  if (!found) return refuse("history_unavailable", {{"what", found.error().message}});
  const auto shown = std::min(found->size(), static_cast<size_t>(limit));
  nlohmann::ordered_json body = {{"incidents", nlohmann::ordered_json::array()}, {"next_before", nullptr}};
  const auto host = call.services.monitor->snapshot();
  for (size_t i = 0; i < shown; ++i) body["incidents"].push_back(monitor::incident_json(as_now((*found)[i], *host)));
  if (found->size() > shown) body["next_before"] = (*found)[shown - 1].id;
  return json_response(body);
}

constexpr std::array kParameters = {
    Parameter{
        .name = "state", .schema = R"({"type": "string", "enum": ["open", "all"]})", .description = "Default: `open`"},
    Parameter{.name = "gpu",
              .schema = R"({"type": "string", "minLength": 1, "maxLength": 100})",
              .description = "Only of this GPU: UUID, `gpu_N` or N"},
    Parameter{.name = "before",
              .schema = R"({"type": "integer", "minimum": 1})",
              .description = "Only entries before this ID: `next_before` of the previous response"},
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 1, "maximum": 500})",
              .description = "Maximum number; default: 100"},
};
constexpr std::array<std::string_view, 1> kProblems = {"history_unavailable"};

}  // namespace
}  // namespace list_incidents

extern const Route list_incidents_route;
constinit const Route list_incidents_route{.name = "list_incidents",
                                           .path = "/api/v1/incidents",
                                           .summary = "Incidents, newest first",
                                           .description = {},
                                           .parameters = list_incidents::kParameters,
                                           .body = {},
                                           .response = R"({"$ref": "#/components/schemas/Incidents"})",
                                           .example = {},
                                           .problems = list_incidents::kProblems,
                                           .answer = list_incidents::answer};

}  // namespace sonde::api
