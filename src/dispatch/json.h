#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "dispatch/decision.h"
#include "dispatch/json_text.h"
#include "dispatch/store.h"
#include "dispatch/task.h"

/// Tasks as the API and the commands show them: schemas Task, Batch, Explanation, Decision of
/// docs/schemas/openapi.json.
namespace sonde::dispatch {

void put_task(JsonText& json, const Task& task);
void put_tasks(JsonText& json, std::span<const Task> tasks);
[[nodiscard]] std::string task_text(const Task& task);
[[nodiscard]] nlohmann::ordered_json batch_json(const Batch& batch);
[[nodiscard]] nlohmann::ordered_json judgement_json(const Judgement& judgement);
[[nodiscard]] nlohmann::ordered_json decision_json(const Decision& decision);
[[nodiscard]] nlohmann::ordered_json explanation_json(const Explanation& explanation);
[[nodiscard]] nlohmann::ordered_json profile_json(const ProfileRecord& profile);

}  // namespace sonde::dispatch
