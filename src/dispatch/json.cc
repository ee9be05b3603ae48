#include "dispatch/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/json_null.h"
#include "monitor/json.h"

namespace sonde::dispatch {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNsPerSecond = 1e9;
constexpr int64_t kNsPerMs = 1'000'000;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return sonde::or_null<Json>(value);
}
Json or_null(const std::string& text) { return text_or_null<Json>(text); }

Json moment(int64_t moment_ns) { return monitor::moment_text_ms(moment_ns); }
Json moment_or_null(const std::optional<int64_t>& moment_ns) { return moment_ns ? moment(*moment_ns) : Json(nullptr); }

/// Whole milliseconds: finer digits are noise to people. 0 where the clock was set back between.
Json seconds_between(int64_t from_ns, const std::optional<int64_t>& to_ns) {
  if (!to_ns) return nullptr;
  const int64_t whole_ms = std::max<int64_t>(0, *to_ns - from_ns) / kNsPerMs;
  return static_cast<double>(whole_ms) / 1000;
}

Json seconds_or_null(const std::optional<int64_t>& ns) {
  return ns ? Json(static_cast<double>(*ns) / kNsPerSecond) : Json(nullptr);
}

Json inference_json(const std::optional<Inference>& inference) {
  if (!inference) return nullptr;
  return {{"model", inference->model}, {"version", or_null(inference->version)}};
}

Json attempt_json(const Attempt& attempt) {
  return {{"number", attempt.number},
          {"gpus", attempt.gpus},
          {"started", moment(attempt.started_ns)},
          {"ended", moment_or_null(attempt.ended_ns)},
          {"cause", cause_name(attempt.cause)},
          {"exit_status", or_null(attempt.exit_status)},
          {"signal", or_null(attempt.signal)},
          {"message", or_null(attempt.message)},
          {"reserved_bytes", attempt.reserved_bytes},
          {"memory_source", memory_source_name(attempt.memory_source)},
          {"peak_bytes", or_null(attempt.peak_bytes)},
          {"recorded", attempt.recorded}};
}

Json attempts_json(const std::vector<Attempt>& attempts) {
  Json list = Json::array();
  for (const Attempt& attempt : attempts) list.push_back(attempt_json(attempt));
  return list;
}

Json run_seconds(const Task& task) {
  const Attempt* const last = task.last();
  return last == nullptr ? Json(nullptr) : seconds_between(last->started_ns, last->ended_ns);
}

Json refusal_json(const Refusal& refusal) {
  return {{"rule", refusal.rule},
          {"reason", refusal.reason},
          {"unblocked", or_null(refusal.unblocked)},
          {"for_good", refusal.is_for_good}};
}

Json judgements_json(const std::vector<Judgement>& judgements) {
  Json list = Json::array();
  for (const Judgement& judgement : judgements) list.push_back(judgement_json(judgement));
  return list;
}

Json start_json(const std::optional<StartForecast>& start) {
  if (!start) return nullptr;
  return {{"earliest", moment(start->earliest_ns)},
          {"likely", moment(start->likely_ns)},
          {"latest", moment(start->latest_ns)}};
}

/// Null where there are none, or where they are no array.
Json findings_json(const std::string& text) {
  const Json findings = Json::parse(text, nullptr, false);
  return findings.is_array() ? findings : Json(nullptr);
}

}  // namespace

Json task_json(const Task& task) {
  const TaskSpec& spec = task.spec;
  return {{"id", task.id},
          {"name", or_null(spec.name)},
          {"type", spec.type},
          {"state", state_name(task.state)},
          {"cause", cause_name(task.cause)},
          {"reason", or_null(task.reason)},
          {"priority", spec.priority},
          {"command", spec.command.empty() ? Json(nullptr) : Json(spec.command)},
          {"arguments_hidden", false},
          {"working_directory", or_null(spec.folder)},
          {"inference", inference_json(spec.inference)},
          {"gpus", spec.gpus},
          {"memory_bytes", or_null(spec.memory_bytes)},
          {"time_limit_seconds", seconds_or_null(spec.time_limit_ns)},
          {"strategy", or_null(spec.strategy)},
          {"after", spec.after},
          {"batch", task.batch == 0 ? Json(nullptr) : Json(task.batch)},
          {"retries", spec.retries},
          {"profile", or_null(spec.profile)},
          {"submitted", moment(task.submitted_ns)},
          {"submitted_by", spec.submitted_by},
          {"ready", task.state == TaskState::blocked ? Json(nullptr) : moment(task.ready_ns)},
          {"started", moment_or_null(task.started_ns)},
          {"ended", moment_or_null(task.ended_ns)},
          {"wait_seconds", seconds_between(task.ready_ns, task.started_ns)},
          {"run_seconds", run_seconds(task)},
          {"cancelling", task.cancelling},
          {"attempts", attempts_json(task.attempts)}};
}

Json batch_json(const Batch& batch) {
  Json split = Json::object();
  for (const auto& [uuid, tasks] : batch.split) split[uuid] = tasks;
  return {{"id", batch.id},
          {"name", or_null(batch.name)},
          {"submitted", moment(batch.submitted_ns)},
          {"submitted_by", batch.submitted_by},
          {"tasks", batch.tasks},
          {"split", std::move(split)}};
}

Json judgement_json(const Judgement& judgement) {
  Json refusals = Json::array();
  for (const Refusal& refusal : judgement.refusals) refusals.push_back(refusal_json(refusal));
  return {{"index", judgement.gpu},
          {"id", fmt::format("gpu_{}", judgement.gpu)},
          {"uuid", judgement.uuid},
          {"eligible", judgement.refusals.empty()},
          {"chosen", judgement.chosen},
          {"score", or_null(judgement.score)},
          {"score_text", or_null(judgement.score_text)},
          {"refusals", std::move(refusals)}};
}

Json decision_json(const Decision& decision) {
  return {{"attempt", decision.attempt},   {"moment", moment(decision.moment_ns)},
          {"strategy", decision.strategy}, {"note", or_null(decision.note)},
          {"waiting", decision.waiting},   {"gpus", judgements_json(decision.gpus)}};
}

Json explanation_json(const Explanation& explanation) {
  Json decisions = Json::array();
  for (const Decision& decision : explanation.decisions) decisions.push_back(decision_json(decision));
  return {{"task", explanation.task},
          {"summary", explanation.summary},
          {"unblocks", explanation.unblocks},
          {"position", or_null(explanation.position)},
          {"ahead", explanation.ahead},
          {"start", start_json(explanation.start)},
          {"start_unknown", or_null(explanation.start_unknown)},
          {"gpus", judgements_json(explanation.gpus)},
          {"decisions", std::move(decisions)}};
}

Json profile_json(const ProfileRecord& profile) {
  return {{"task", profile.task},
          {"attempt", profile.attempt},
          {"why", profile.why},
          {"state", profile.state},
          {"file", or_null(profile.file)},
          {"findings", findings_json(profile.findings)},
          {"trouble", or_null(profile.trouble)},
          {"moment", moment(profile.moment_ns)}};
}

}  // namespace sonde::dispatch
