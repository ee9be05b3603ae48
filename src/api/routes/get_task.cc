#include <array>


#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace {

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto task = find_task(**dispatcher, call.path_values.front());
  return task ? json_response(dispatch::task_text(*task)) : task.error();
}

constexpr std::array<std::string_view, 3> kProblems = {"unknown_task", "tasks_disabled", "tasks_unreadable"};

}  // namespace

extern const Route get_task_route;
constinit const Route get_task_route{.name = "get_task",
                                     .path = "/api/v1/tasks/{task}",
                                     .summary = "One task with its attempts",
                                     .description = {},
                                     .parameters = {},
                                     .body = {},
                                     .response = R"({"$ref": "#/components/schemas/Task"})",
                                     .example = {},
                                     .problems = kProblems,
                                     .answer = answer};

}  // namespace sonde::api
