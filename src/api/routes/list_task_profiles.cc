#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace {

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto task = find_task(**dispatcher, call.path_values.front());
  if (!task) return task.error();
  const auto profiles = (*dispatcher)->store().profiles(task->id);
  if (!profiles) return refuse("tasks_unreadable", {{"what", profiles.error().message}});
  nlohmann::ordered_json body = {{"profiles", nlohmann::ordered_json::array()}};
  for (const auto& profile : *profiles) body["profiles"].push_back(dispatch::profile_json(profile));
  return json_response(body);
}

constexpr std::array<std::string_view, 3> kProblems = {"unknown_task", "tasks_disabled", "tasks_unreadable"};

}  // namespace

extern const Route list_task_profiles_route;
constinit const Route list_task_profiles_route{.name = "list_task_profiles",
                                               .path = "/api/v1/tasks/{task}/profiles",
                                               .summary = "Recordings of a task, and what was found in them",
                                               .description = {},
                                               .parameters = {},
                                               .body = {},
                                               .response = R"({"$ref": "#/components/schemas/TaskProfiles"})",
                                               .example = {},
                                               .problems = kProblems,
                                               .answer = answer};

}  // namespace sonde::api
