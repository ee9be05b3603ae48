#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"
#include "dispatch/json.h"
#include "monitor/json.h"

namespace sonde::api {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kUsualLimit = 100;
constexpr int64_t kMostRunning = 1000;

Json name_of(const monitor::HostSnapshot& host, const std::string& uuid) {
  const auto gpu = std::ranges::find(host.gpus, uuid, &monitor::GpuView::uuid);
  return gpu == host.gpus.end() ? Json(nullptr) : Json(fmt::format("gpu_{}", gpu->index));
}

Json gpus_json(const dispatch::QueueSnapshot& queue, const monitor::HostSnapshot& host, int64_t max_tasks) {
  Json gpus = Json::array();
  for (const auto& gpu : queue.gpus) {
    gpus.push_back({{"id", name_of(host, gpu.uuid)},
                    {"uuid", gpu.uuid},
                    {"tasks", gpu.tasks},
                    {"max_tasks", max_tasks},
                    {"reserved_bytes", gpu.reserved_bytes}});
  }
  return gpus;
}

/// Every state and level stands there, with 0 where there is none.
Json states_json(const std::map<dispatch::TaskState, int64_t>& counts) {
  Json states = Json::object();
  for (const auto state : {dispatch::TaskState::blocked, dispatch::TaskState::waiting, dispatch::TaskState::running}) {
    const auto count = counts.find(state);
    states[std::string(dispatch::state_name(state))] = count == counts.end() ? 0 : count->second;
  }
  return states;
}

Json priorities_json(const std::map<std::string, int64_t>& waiting, const config::Config& config) {
  Json levels = Json::object();
  for (const auto& [name, level] : config.gpu.multi_gpu.queue_priority_levels) levels[name] = 0;
  for (const auto& [name, count] : waiting) levels[name] = count;
  return levels;
}

Json tasks_json(const std::vector<dispatch::Task>& tasks) {
  Json list = Json::array();
  for (const dispatch::Task& task : tasks) list.push_back(dispatch::task_json(task));
  return list;
}

Json summary_json(const Call& call, const dispatch::QueueSnapshot& queue) {
  const auto config = call.services.config->current();
  const auto& multi = config->gpu.multi_gpu;
  const auto& oldest = queue.oldest_ready_ns;
  return {{"moment", monitor::moment_text_ms(queue.moment_ns)},
          {"strategy", multi.default_strategy},
          {"strategies", multi.strategies},
          {"length", queue.engine.queue_length},
          {"max_length", multi.max_queue_size},
          {"timeout_seconds", multi.queue_timeout},
          {"by_priority", priorities_json(queue.engine.waiting_by_priority, *config)},
          {"by_state", states_json(queue.engine.by_state)},
          {"oldest_ready", oldest ? Json(monitor::moment_text_ms(*oldest)) : Json(nullptr)},
          {"trouble", queue.trouble.empty() ? Json(nullptr) : Json(queue.trouble)},
          {"gpus", gpus_json(queue, *call.services.monitor->snapshot(), multi.max_concurrent_tasks_per_gpu)}};
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto running =
      (*dispatcher)
          ->list({.states = {dispatch::TaskState::running}, .type = {}, .submitted_by = {}, .most = kMostRunning});
  if (!running) return refuse("tasks_unreadable", {{"what", running.error().message}});
  Json body = summary_json(call, *(*dispatcher)->snapshot());
  const auto limit = static_cast<size_t>(query_integer(call, "limit", kUsualLimit));
  body["waiting"] = tasks_json((*dispatcher)->queue(limit));
  body["running"] = tasks_json(*running);
  return json_response(body);
}

constexpr std::array kParameters = {
    Parameter{.name = "limit",
              .schema = R"({"type": "integer", "minimum": 0, "maximum": 1000})",
              .description = "So many of the tasks that wait, at most; 100 where it is left out"},
};
constexpr std::array<std::string_view, 2> kProblems = {"tasks_disabled", "tasks_unreadable"};

}  // namespace

extern const Route get_queue_route;
constinit const Route get_queue_route{.name = "get_queue",
                                      .path = "/api/v1/queue",
                                      .summary = "What waits, in its order, and what runs",
                                      .description = {},
                                      .parameters = kParameters,
                                      .body = {},
                                      .response = R"({"$ref": "#/components/schemas/Queue"})",
                                      .example = {},
                                      .problems = kProblems,
                                      .answer = answer};

}  // namespace sonde::api
