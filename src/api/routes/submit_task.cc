#include <array>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace submit_task {
namespace {

Response task_response(int status, const dispatch::Task& task) {
  Response response = json_response(dispatch::task_text(task));
  response.status = status;
  response.headers.emplace_back("Location", fmt::format("/api/v1/tasks/{}", task.id));
  return response;
}

/// The task that was made, or was there with the same Idempotency-Key.
Response answer_of(dispatch::Dispatcher& dispatcher, const dispatch::Made& made, const dispatch::TaskSpec& spec) {
  const auto task = find_task(dispatcher, std::to_string(made.id));
  if (!task) return task.error();
  if (made.is_new) return task_response(201, *task);
  if (same_submission(task->spec, spec)) return task_response(200, *task);
  return refuse("key_used", {{"what", fmt::format("Task {}", made.id)}, {"key", spec.idempotency_key}});
}

Response submit(dispatch::Dispatcher& dispatcher, dispatch::TaskSpec spec) {
  Response response;
  response.later = [&dispatcher, spec = std::make_shared<dispatch::TaskSpec>(std::move(spec))](const Done& done) {
    const bool is_needed_again = !spec->idempotency_key.empty();
    dispatcher.submit(is_needed_again ? *spec : std::move(*spec),
                      [&dispatcher, spec, done](std::expected<dispatch::Made, dispatch::Refused> made) {
                        if (!made) return done(refusal_response(made.error()));
                        done(made_by([&dispatcher, spec, made = *made] { return answer_of(dispatcher, made, *spec); }));
                      });
  };
  return response;
}

Answered<dispatch::TaskSpec> spec_of(const Call& call) {
  const auto config = call.services.config->current();
  auto key = idempotency_key(call.request);
  if (!key) return std::unexpected(key.error());
  auto wanted = submission_of(*call.body, call.caller);
  if (!wanted) return std::unexpected(wanted.error());
  wanted->idempotency_key = *std::move(key);
  auto spec = dispatch::resolve(*wanted, *config);
  if (!spec) return std::unexpected(refusal_response(spec.error()));
  return *std::move(spec);
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  auto spec = spec_of(call);
  if (!spec) return spec.error();
  return submit(**dispatcher, *std::move(spec));
}

constexpr std::array kHeaders = {kIdempotencyKey};
constexpr std::array<std::string_view, 17> kProblems = {"unknown_type",
                                                        "unknown_priority",
                                                        "unknown_strategy",
                                                        "unknown_dependency",
                                                        "too_many_gpus",
                                                        "too_much_memory",
                                                        "invalid_task",
                                                        "command_not_allowed",
                                                        "variable_not_allowed",
                                                        "key_used",
                                                        "queue_full",
                                                        "tasks_disabled",
                                                        "gpus_disabled",
                                                        "not_saved",
                                                        "disk_limit",
                                                        "tasks_unreadable",
                                                        "stopping"};

}  // namespace
}  // namespace submit_task

extern const Route submit_task_route;
constinit const Route submit_task_route{
    .name = "submit_task",
    .method = Method::post,
    .path = "/api/v1/tasks",
    .role = Role::submit,
    .summary = "Submit a task",
    .description =
        "The task is on disk before the response is sent, so it runs even if the host goes down at that time. "
        "`sonde.tasks.types` declares what may be run. With an Idempotency-Key, the request can be repeated if no "
        "response arrived.",
    .parameters = {},
    .body = R"({"$ref": "#/components/schemas/TaskSubmission"})",
    .response = R"({"$ref": "#/components/schemas/Task"})",
    .example = R"({"type": "training", "arguments": ["--epochs", "10"], "gpus": 1, "memory": "16GiB"})",
    .problems = submit_task::kProblems,
    .headers = submit_task::kHeaders,
    .status = 201,
    .answer = submit_task::answer};

}  // namespace sonde::api
