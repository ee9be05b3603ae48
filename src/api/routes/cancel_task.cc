#include <array>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"
#include "monitor/json.h"

namespace sonde::api {
namespace cancel_task {
namespace {

Response over(const dispatch::Task& task) {
  return refuse("task_over", {{"id", std::to_string(task.id)},
                              {"state", dispatch::state_name(task.state)},
                              {"ended", monitor::moment_text_ms(task.ended_ns.value_or(task.submitted_ns))}});
}

Response cancel_response(dispatch::Dispatcher& dispatcher, int64_t id, const Result<bool>& done) {
  if (!done) return refuse("not_saved", {{"what", done.error().message}});
  const auto task = find_task(dispatcher, std::to_string(id));
  if (!task) return task.error();
  return *done ? json_response(dispatch::task_text(*task)) : over(*task);
}

Response answer(const Call& call) {
  const auto asked = asked_task(call);
  if (!asked) return asked.error();
  const dispatch::Task& task = asked->task;
  if (call.caller.role < Role::admin && task.spec.submitted_by != call.caller.name) {
    return refuse("not_your_task", {{"what", fmt::format("Task {}", task.id)}, {"owner", task.spec.submitted_by}});
  }
  if (dispatch::is_over(task.state)) return over(task);
  Response response;
  response.later = [at = asked->dispatcher, id = task.id, by = call.caller.name](const Done& done) {
    at->cancel(id, by, [at, id, done](const Result<bool>& cancelled) {
      done(made_by([at, id, cancelled] { return cancel_response(*at, id, cancelled); }));
    });
  };
  return response;
}

constexpr std::array<std::string_view, 6> kProblems = {"unknown_task",   "not_your_task", "task_over",
                                                       "tasks_disabled", "not_saved",     "tasks_unreadable"};

}  // namespace
}  // namespace cancel_task

extern const Route cancel_task_route;
constinit const Route cancel_task_route{
    .name = "cancel_task",
    .method = Method::post,
    .path = "/api/v1/tasks/{task}/cancel",
    .role = Role::submit,
    .summary = "Cancel a task",
    .description =
        "A waiting task is cancelled immediately. All processes of a running task get SIGTERM, and SIGKILL after "
        "`sonde.tasks.cancel_grace`; `cancelling` is true until they have exited. Keys with the role submit can cancel "
        "their own tasks, keys with the role admin all tasks.",
    .parameters = {},
    .body = {},
    .response = R"({"$ref": "#/components/schemas/Task"})",
    .example = {},
    .problems = cancel_task::kProblems,
    .answer = cancel_task::answer};

}  // namespace sonde::api
