#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace list_task_profiles {
namespace {

Response answer(const Call& call) {
  const auto asked = asked_task(call);
  if (!asked) return asked.error();
  const auto profiles = asked->dispatcher->store().profiles(asked->task.id);
  if (!profiles) return refuse("tasks_unreadable", {{"what", profiles.error().message}});
  nlohmann::ordered_json body = {{"profiles", nlohmann::ordered_json::array()}};
  for (const auto& profile : *profiles) body["profiles"].push_back(dispatch::profile_json(profile));
  return json_response(body);
}

}  // namespace
}  // namespace list_task_profiles

extern const Route list_task_profiles_route;
constinit const Route list_task_profiles_route{.name = "list_task_profiles",
                                               .path = "/api/v1/tasks/{task}/profiles",
                                               .summary = "Recordings of a task and their findings",
                                               .description = {},
                                               .parameters = {},
                                               .body = {},
                                               .response = R"({"$ref": "#/components/schemas/TaskProfiles"})",
                                               .example = {},
                                               .problems = kAskedTaskProblems,
                                               .answer = list_task_profiles::answer};

}  // namespace sonde::api
