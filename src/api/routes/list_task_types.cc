#include <array>

#include <nlohmann/json.hpp>

#include "api/answers.h"
#include "api/tasks.h"
#include "base/time_units.h"
#include "dispatch/json.h"

namespace sonde::api {
namespace list_task_types {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kProfilesShown = 5;

/// What may be run, undeclared types included where anything may be.
std::map<std::string, config::TaskType> types_of(const config::Config& config) {
  auto types = config.sonde.tasks.types;
  if (!config.sonde.tasks.allow_undeclared_commands) return types;
  types.try_emplace("default");
  for (const auto& [name, gpu] : config.gpu.multi_gpu.task_specific_mappings) types.try_emplace(name);
  return types;
}

std::string_view what_runs(const config::TaskType& type) {
  if (!type.command.empty()) return "command";
  return type.workers.empty() ? "anything" : "workers";
}

Json learned_json(const std::optional<dispatch::MemoryEstimate>& memory) {
  if (!memory) return nullptr;
  return {{"need_bytes", memory->need_bytes},
          {"median_bytes", memory->median_bytes},
          {"spread_bytes", memory->spread_bytes},
          {"tasks", memory->tasks}};
}

Json run_json(const std::optional<dispatch::RunTimeEstimate>& run) {
  if (!run) return nullptr;
  const auto seconds = [](int64_t ns) { return static_cast<double>(ns) / kSecondNs; };
  return {{"low", seconds(run->low_ns)},
          {"median", seconds(run->median_ns)},
          {"high", seconds(run->high_ns)},
          {"tasks", run->tasks}};
}

Json type_json(const std::string& name, const config::TaskType& type, const dispatch::TypeFigures& figures) {
  return {{"name", name},
          {"description", type.description.empty() ? Json(nullptr) : Json(type.description)},
          {"runs", what_runs(type)},
          {"allow_arguments", type.allow_arguments},
          {"allow_environment", type.allow_environment},
          {"gpus", type.gpus},
          {"memory_bytes", type.memory_bytes > 0 ? Json(type.memory_bytes) : Json(nullptr)},
          {"learned", learned_json(figures.memory)},
          {"run_seconds", run_json(figures.run_time)},
          {"profiles", Json::array()}};
}

Response answer(const Call& call) {
  const auto dispatcher = dispatcher_of(call.services);
  if (!dispatcher) return dispatcher.error();
  const auto config = call.services.config->current();
  Json body = {{"types", Json::array()}};
  for (const auto& [name, type] : types_of(*config)) {
    const auto profiles = (*dispatcher)->store().profiles_of_type(name, kProfilesShown);
    if (!profiles) return refuse("tasks_unreadable", {{"what", profiles.error().message}});
    Json entry = type_json(name, type, (*dispatcher)->figures_of(name));
    for (const auto& profile : *profiles) entry["profiles"].push_back(dispatch::profile_json(profile));
    body["types"].push_back(std::move(entry));
  }
  return json_response(body);
}

constexpr std::array<std::string_view, 2> kProblems = {"tasks_disabled", "tasks_unreadable"};

}  // namespace
}  // namespace list_task_types

extern const Route list_task_types_route;
constinit const Route list_task_types_route{.name = "list_task_types",
                                            .path = "/api/v1/task_types",
                                            .summary = "Task types: what may be run, with learned memory and run times",
                                            .description =
                                                "Declared in `sonde.tasks.types`. Memory and run times are learned "
                                                "from finished tasks; null until three tasks have finished.",
                                            .parameters = {},
                                            .body = {},
                                            .response = R"({"$ref": "#/components/schemas/TaskTypes"})",
                                            .example = {},
                                            .problems = list_task_types::kProblems,
                                            .answer = list_task_types::answer};

}  // namespace sonde::api
