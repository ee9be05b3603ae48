#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace get_task {
namespace {

Response answer(const Call& call) {
  const auto asked = asked_task(call);
  return asked ? json_response(dispatch::task_text(asked->task)) : asked.error();
}

}  // namespace
}  // namespace get_task

extern const Route get_task_route;
constinit const Route get_task_route{.name = "get_task",
                                     .path = "/api/v1/tasks/{task}",
                                     .summary = "One task with its attempts",
                                     .description = {},
                                     .parameters = {},
                                     .body = {},
                                     .response = R"({"$ref": "#/components/schemas/Task"})",
                                     .example = {},
                                     .problems = kAskedTaskProblems,
                                     .answer = get_task::answer};

}  // namespace sonde::api
