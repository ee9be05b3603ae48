#include "api/tasks.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/problem.h"
#include "base/text/byte_size.h"
#include "base/text/decimal.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace {

std::unexpected<Response> unreadable(const Error& error) {
  return std::unexpected(refuse("tasks_unreadable", {{"what", error.message}}));
}

/// Ids of calls are anybody's text.
std::optional<int64_t> id_of(std::string_view text) {
  const auto id = integer_of<int64_t>(text);
  return id && *id > 0 ? id : std::nullopt;
}

template <typename T>
Answered<T> found_or(Result<std::optional<T>> found, std::string_view code, const std::string& id) {
  if (!found) return unreadable(found.error());
  if (!*found) return std::unexpected(refuse(code, {{"id", id}}));
  return **std::move(found);
}

template <typename T>
void take(const nlohmann::json& body, const char* name, std::optional<T>& to) {
  if (const auto value = body.find(name); value != body.end()) to = value->get<T>();
}
template <typename T>
void take(const nlohmann::json& body, const char* name, T& to) {
  if (const auto value = body.find(name); value != body.end()) value->get_to(to);
}

Answered<std::optional<int64_t>> memory_of(const nlohmann::json& body) {
  std::optional<int64_t> bytes;
  take(body, "memory_bytes", bytes);
  const auto text = body.find("memory");
  if (text == body.end()) return bytes;
  if (bytes) {
    return std::unexpected(
        refuse("invalid_task", {{"what", "`memory` and `memory_bytes` set the same value: send only one."}}));
  }
  bytes = bytes_of_text(text->get_ref<const std::string&>());
  if (bytes) return bytes;
  return std::unexpected(refuse(
      "invalid_task", {{"what", fmt::format("`memory` is '{}'; expected a size such as 16GiB, 500MiB or 8GB, or bytes.",
                                            text->get_ref<const std::string&>())}}));
}

}  // namespace

Response made_by(std::function<Response()> make) {
  Response response;
  response.later = [make = std::move(make)](const Done& done) { done(make()); };
  return response;
}

Answered<dispatch::Dispatcher*> dispatcher_of(const Services& services) {
  if (services.dispatcher != nullptr) return services.dispatcher;
  return std::unexpected(
      refuse("tasks_disabled",
             {{"what", "The service runs without tasks; see its log for the reason. GPUs are still monitored."}}));
}

Response refusal_response(const dispatch::Refused& refused) {
  const auto rows = problem_rows();
  const auto row = std::ranges::find(rows, refused.code, &ProblemRow::code);
  if (row == rows.end()) return refuse("internal_error");
  Response response = problem(row->status, row->code, row->title, refused.detail);
  if (refused.retry_after_s) {
    response.headers.emplace_back("Retry-After", std::to_string(std::max<int64_t>(1, *refused.retry_after_s)));
  }
  return response;
}

Answered<dispatch::Task> find_task(dispatch::Dispatcher& dispatcher, const std::string& id) {
  const auto number = id_of(id);
  if (!number) return std::unexpected(refuse("unknown_task", {{"id", fmt::format("'{}'", id)}}));
  return found_or(dispatcher.find(*number), "unknown_task", id);
}

Answered<dispatch::Batch> find_batch(dispatch::Dispatcher& dispatcher, const std::string& id) {
  const auto number = id_of(id);
  if (!number) return std::unexpected(refuse("unknown_batch", {{"id", fmt::format("'{}'", id)}}));
  return found_or(dispatcher.find_batch(*number), "unknown_batch", id);
}

Answered<AskedTask> asked_task(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return std::unexpected(dispatcher.error());
  auto task = find_task(**dispatcher, call.path_values.front());
  if (!task) return std::unexpected(std::move(task).error());
  return AskedTask{.dispatcher = *dispatcher, .task = *std::move(task)};
}

Answered<AskedBatch> asked_batch(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return std::unexpected(dispatcher.error());
  auto batch = find_batch(**dispatcher, call.path_values.front());
  if (!batch) return std::unexpected(std::move(batch).error());
  return AskedBatch{.dispatcher = *dispatcher, .batch = *std::move(batch)};
}

Answered<nlohmann::ordered_json> batch_body(dispatch::Dispatcher& dispatcher, const dispatch::Batch& batch) {
  const auto max = static_cast<int64_t>(batch.tasks.size());
  const auto tasks = dispatcher.list({.states = {}, .type = {}, .submitted_by = {}, .batch = batch.id, .max = max});
  if (!tasks) return unreadable(tasks.error());
  std::map<std::string, int64_t> states;
  for (const dispatch::Task& task : *tasks) ++states[std::string(dispatch::state_name(task.state))];
  auto body = dispatch::batch_json(batch);
  body["states"] = states.empty() ? nlohmann::ordered_json::object() : nlohmann::ordered_json(states);
  return body;
}

Answered<dispatch::Submission> submission_of(const nlohmann::json& body, const Caller& caller) {
  dispatch::Submission wanted;
  take(body, "name", wanted.name);
  take(body, "type", wanted.type);
  take(body, "command", wanted.command);
  take(body, "arguments", wanted.arguments);
  take(body, "environment", wanted.environment);
  take(body, "working_directory", wanted.folder);
  if (const auto request = body.find("request"); request != body.end()) wanted.request = request->dump();
  take(body, "model", wanted.model);
  take(body, "priority", wanted.priority);
  take(body, "gpus", wanted.gpus);
  const auto memory = memory_of(body);
  if (!memory) return std::unexpected(memory.error());
  wanted.memory_bytes = *memory;
  take(body, "time_limit_seconds", wanted.time_limit_s);
  take(body, "strategy", wanted.strategy);
  take(body, "after", wanted.after);
  take(body, "retries", wanted.retries);
  take(body, "profile", wanted.profile);
  wanted.submitted_by = caller.name;
  return wanted;
}

Answered<std::string> idempotency_key(const Request& request) {
  constexpr size_t kMaxBytes = 200;
  const auto header = request.headers.find("idempotency-key");
  if (header == request.headers.end()) return {};
  const std::string& text = header->second;
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!text.empty() && text.size() <= kMaxBytes && is_plain) return text;
  return std::unexpected(refuse(
      "invalid_parameter",
      {{"parameter", "Idempotency-Key"}, {"what", "must be 1 to 200 printable ASCII characters without spaces"}}));
}

bool same_submission(const dispatch::TaskSpec& a, const dispatch::TaskSpec& b) {
  return a.name == b.name && a.type == b.type && a.priority == b.priority && a.command == b.command &&
         a.environment == b.environment && a.folder == b.folder && a.gpus == b.gpus &&
         a.memory_bytes == b.memory_bytes && a.time_limit_ns == b.time_limit_ns && a.strategy == b.strategy &&
         a.after == b.after && a.retries == b.retries && a.profile == b.profile &&
         a.inference.has_value() == b.inference.has_value() &&
         (!a.inference || (a.inference->model == b.inference->model && a.inference->request == b.inference->request));
}

}  // namespace sonde::api
