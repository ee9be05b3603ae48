#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace explain_task {
namespace {

Response answer(const Call& call) {
  const auto asked = asked_task(call);
  if (!asked) return asked.error();
  const dispatch::Task& task = asked->task;
  const auto explained = asked->dispatcher->explain(task.id);
  if (!explained) return refuse("tasks_unreadable", {{"what", explained.error().message}});
  if (!*explained) return refuse("unknown_task", {{"id", std::to_string(task.id)}});
  auto body = dispatch::explanation_json(**explained);
  body["state"] = dispatch::state_name(task.state);
  return json_response(body);
}

}  // namespace
}  // namespace explain_task

extern const Route explain_task_route;
constinit const Route explain_task_route{
    .name = "explain_task",
    .path = "/api/v1/tasks/{task}/explain",
    .summary = "Why a task runs on its GPUs, or why it waits",
    .description =
        "For a waiting task: the conditions that would let it start, and a predicted start with a range. For each "
        "attempt: the scores of the GPUs, and the reasons against the other GPUs.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Explanation"})",
    .example = {},
    .problems = kAskedTaskProblems,
    .answer = explain_task::answer};

}  // namespace sonde::api
