#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"

namespace sonde::api {
namespace submit_batch {
namespace {

using Json = nlohmann::json;
using Specs = std::vector<dispatch::TaskSpec>;

/// A resolved submission.
struct Wanted {
  std::string name;
  std::string key;
  std::string by;
  Specs specs;
};

std::unexpected<Response> invalid(std::string_view what) {
  return std::unexpected(refuse("invalid_task", {{"what", what}}));
}

/// The same text with {index} as a number.
std::string numbered(std::string text, int64_t index) {
  constexpr std::string_view kIndex = "{index}";
  const std::string number = std::to_string(index);
  for (size_t at = text.find(kIndex); at != std::string::npos; at = text.find(kIndex, at + number.size())) {
    text.replace(at, kIndex.size(), number);
  }
  return text;
}

dispatch::Submission numbered(dispatch::Submission one, int64_t index) {
  for (std::string& word : one.command) word = numbered(std::move(word), index);
  for (std::string& word : one.arguments) word = numbered(std::move(word), index);
  for (auto& [name, value] : one.environment) value = numbered(std::move(value), index);
  return one;
}

Answered<void> check_form(const Json& body, const config::Config& config) {
  constexpr size_t kMaxBytes = 64U << 20U;  // that a short body may become
  const bool counted = body.contains("count") || body.contains("task");
  if (body.contains("tasks") == counted) return invalid("Send either `tasks`, or `count` with `task`.");
  if (counted && (!body.contains("count") || !body.contains("task")))
    return invalid("`count` needs `task`, and `task` needs `count`.");
  if (!counted && body["tasks"].empty()) return invalid("A batch needs at least one task.");
  const auto count = counted ? body["count"].get<size_t>() : body["tasks"].size();
  const auto room = static_cast<size_t>(config.gpu.multi_gpu.max_queue_size);
  if (count > room) {
    return invalid(fmt::format("A batch of {} tasks does not fit into the queue: gpu.multi_gpu.max_queue_size is {}.",
                               count, room));
  }
  if (counted && count * body["task"].dump().size() > kMaxBytes) {
    return invalid(fmt::format("{} copies of this task use more than 64MiB: send several batches.", count));
  }
  return {};
}

Answered<std::vector<dispatch::Submission>> submissions_of(const Json& body, const Caller& caller) {
  std::vector<dispatch::Submission> all;
  if (body.contains("tasks")) {
    for (const Json& task : body["tasks"]) {
      auto one = submission_of(task, caller);
      if (!one) return std::unexpected(one.error());
      all.push_back(*std::move(one));
    }
    return all;
  }
  const auto one = submission_of(body["task"], caller);
  if (!one) return std::unexpected(one.error());
  for (int64_t i = 0; i < body["count"].get<int64_t>(); ++i) all.push_back(numbered(*one, i));
  return all;
}

Answered<Wanted> wanted_of(const Call& call) {
  const auto config = call.services.config->current();
  auto key = idempotency_key(call.request);
  if (!key) return std::unexpected(key.error());
  if (auto good = check_form(*call.body, *config); !good) return std::unexpected(good.error());
  const auto submissions = submissions_of(*call.body, call.caller);
  if (!submissions) return std::unexpected(submissions.error());
  Wanted wanted{.name = call.body->value("name", ""), .key = *std::move(key), .by = call.caller.name, .specs = {}};
  for (size_t i = 0; i < submissions->size(); ++i) {
    auto spec = dispatch::resolve((*submissions)[i], *config);
    if (!spec) {
      auto refused = spec.error();
      refused.detail = fmt::format("Task {} of the batch, counted from 0: {}", i, refused.detail);
      return std::unexpected(refusal_response(refused));
    }
    wanted.specs.push_back(*std::move(spec));
  }
  return wanted;
}

bool is_same(const std::vector<dispatch::Task>& tasks, const Specs& specs) {
  return std::ranges::equal(tasks | std::views::reverse, specs, same_submission, &dispatch::Task::spec);
}

Response batch_response(int status, dispatch::Dispatcher& dispatcher, int64_t id) {
  const auto batch = find_batch(dispatcher, std::to_string(id));
  if (!batch) return batch.error();
  const auto body = batch_body(dispatcher, *batch);
  if (!body) return body.error();
  Response response = json_response(*body);
  response.status = status;
  response.headers.emplace_back("Location", fmt::format("/api/v1/batches/{}", id));
  return response;
}

/// The batch that was made, or was there with the same Idempotency-Key.
Response answer_of(dispatch::Dispatcher& dispatcher, const dispatch::Made& made, const Wanted& wanted) {
  if (made.is_new) return batch_response(201, dispatcher, made.id);
  const auto max = static_cast<int64_t>(wanted.specs.size()) + 1;
  const auto tasks = dispatcher.list({.states = {}, .type = {}, .submitted_by = {}, .batch = made.id, .max = max});
  if (!tasks) return refuse("tasks_unreadable", {{"what", tasks.error().message}});
  if (is_same(*tasks, wanted.specs)) return batch_response(200, dispatcher, made.id);
  return refuse("key_used", {{"what", fmt::format("Batch {}", made.id)}, {"key", wanted.key}});
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  auto wanted = wanted_of(call);
  if (!wanted) return wanted.error();
  Response response;
  response.later = [at = *dispatcher, wanted = std::make_shared<Wanted>(*std::move(wanted))](const Done& done) {
    const bool is_needed_again = !wanted->key.empty();
    at->submit_batch(wanted->name, wanted->key, is_needed_again ? wanted->specs : std::move(wanted->specs),
                     [at, wanted, done](std::expected<dispatch::Made, dispatch::Refused> made) {
                       if (!made) return done(refusal_response(made.error()));
                       done(made_by([at, wanted, made = *made] { return answer_of(*at, made, *wanted); }));
                     });
  };
  return response;
}

constexpr std::array kHeaders = {kIdempotencyKey};
constexpr std::array<std::string_view, 20> kProblems = {
    "unknown_type",         "unknown_priority", "unknown_strategy", "unknown_dependency",
    "too_many_gpus",        "too_much_memory",  "invalid_task",     "command_not_allowed",
    "variable_not_allowed", "key_used",         "queue_full",       "tasks_disabled",
    "gpus_disabled",        "not_saved",        "disk_limit",       "tasks_unreadable",
    "unknown_batch",        "empty_batch",      "batch_too_large",  "stopping"};

}  // namespace
}  // namespace submit_batch

extern const Route submit_batch_route;
constinit const Route submit_batch_route{
    .name = "submit_batch",
    .method = Method::post,
    .path = "/api/v1/batches",
    .role = Role::submit,
    .summary = "Submit a batch of tasks that are split over the GPUs together",
    .description =
        "Either all tasks are accepted or none. `tasks` lists them; `count` with `task` creates `count` copies of one "
        "task, in which `{index}` in the command, the arguments and the values of variables is replaced by 0, 1, 2 and "
        "so on. With `gpu.multi_gpu.batch_split` they are split over several GPUs, with at least "
        "`gpu.multi_gpu.min_batch_size_per_gpu` tasks on each.",
    .parameters = {},
    .body = R"({"$ref": "#/components/schemas/BatchSubmission"})",
    .response = R"({"$ref": "#/components/schemas/Batch"})",
    .example = R"({"name": "sweep", "count": 8, "task": {"type": "training", "arguments": ["--seed", "{index}"]}})",
    .problems = submit_batch::kProblems,
    .headers = submit_batch::kHeaders,
    .status = 201,
    .answer = submit_batch::answer};

}  // namespace sonde::api
