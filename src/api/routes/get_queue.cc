#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"
#include "monitor/json.h"

namespace sonde::api {
namespace get_queue {
namespace {

using dispatch::JsonText;

constexpr int64_t kDefaultLimit = 100;
constexpr int64_t kMaxRunning = 1000;

std::string name_of(const monitor::HostSnapshot& host, const std::string& uuid) {
  const auto gpu = std::ranges::find(host.gpus, uuid, &monitor::GpuView::uuid);
  return gpu == host.gpus.end() ? std::string() : fmt::format("gpu_{}", gpu->index);
}

void put_gpus(JsonText& json, const dispatch::QueueSnapshot& queue, const monitor::HostSnapshot& host,
              int64_t max_tasks) {
  json.key("gpus").open_array();
  for (const auto& gpu : queue.gpus) {
    json.open_object().or_null("id", name_of(host, gpu.uuid)).key("uuid").value(gpu.uuid);
    json.key("tasks").value(gpu.tasks).key("max_tasks").value(max_tasks);
    json.key("reserved_bytes").value(gpu.reserved_bytes).close_object();
  }
  json.close_array();
}

/// Every state is present, with 0 if no task has it.
void put_states(JsonText& json, const std::map<dispatch::TaskState, int64_t>& counts) {
  json.key("by_state").open_object();
  for (const auto state : {dispatch::TaskState::blocked, dispatch::TaskState::waiting, dispatch::TaskState::running}) {
    const auto count = counts.find(state);
    json.key(dispatch::state_name(state)).value(count == counts.end() ? int64_t{0} : count->second);
  }
  json.close_object();
}

/// Every level too; their names are what the configuration says.
void put_priorities(JsonText& json, std::map<std::string, int64_t> waiting, const config::Config& config) {
  for (const auto& [name, level] : config.gpu.multi_gpu.queue_priority_levels) waiting.try_emplace(name, 0);
  json.key("by_priority").open_object();
  for (const auto& [name, count] : waiting) json.any_key(name).value(count);
  json.close_object();
}

void put_summary(JsonText& json, const Call& call, const dispatch::QueueSnapshot& queue) {
  const auto config = call.services.config->current();
  const auto& multi = config->gpu.multi_gpu;
  json.key("moment").value(monitor::moment_text_ms(queue.moment_ns));
  json.key("strategy").value(multi.default_strategy).key("strategies").value(multi.strategies);
  json.key("length").value(queue.engine.queue_length).key("max_length").value(multi.max_queue_size);
  json.key("timeout_seconds").value(multi.queue_timeout);
  put_priorities(json, queue.engine.waiting_by_priority, *config);
  put_states(json, queue.engine.by_state);
  json.or_null("oldest_ready", queue.oldest_ready_ns.transform(monitor::moment_text_ms));
  json.or_null("trouble", queue.trouble);
  put_gpus(json, queue, *call.services.monitor->snapshot(), multi.max_concurrent_tasks_per_gpu);
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto running =
      (*dispatcher)
          ->list({.states = {dispatch::TaskState::running}, .type = {}, .submitted_by = {}, .max = kMaxRunning});
  if (!running) return refuse("tasks_unreadable", {{"what", running.error().message}});
  JsonText body(JsonText::Bad::replaced);
  body.open_object();
  put_summary(body, call, *(*dispatcher)->snapshot());
  const auto limit = static_cast<size_t>(query_integer(call, "limit", kDefaultLimit));
  dispatch::put_tasks(body.key("waiting"), (*dispatcher)->queue(limit));
  dispatch::put_tasks(body.key("running"), *running);
  return json_response(body.close_object().take());
}

constexpr std::array kParameters = {
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 0, "maximum": 1000})",
              .description = "Maximum number of waiting tasks; default: 100"},
};
constexpr std::array<std::string_view, 2> kProblems = {"tasks_disabled", "tasks_unreadable"};

}  // namespace
}  // namespace get_queue

extern const Route get_queue_route;
constinit const Route get_queue_route{.name = "get_queue",
                                      .path = "/api/v1/queue",
                                      .summary = "Waiting tasks in queue order, and running tasks",
                                      .description = {},
                                      .parameters = get_queue::kParameters,
                                      .body = {},
                                      .response = R"({"$ref": "#/components/schemas/Queue"})",
                                      .example = {},
                                      .problems = get_queue::kProblems,
                                      .answer = get_queue::answer};

}  // namespace sonde::api
