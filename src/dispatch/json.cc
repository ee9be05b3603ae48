#include "dispatch/json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/text/json_null.h"
#include "base/time_units.h"
#include "monitor/json.h"

namespace sonde::dispatch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kNsPerMs = 1'000'000;

template <typename T>
Json or_null(const std::optional<T>& value) {
  return sonde::or_null<Json>(value);
}
Json or_null(const std::string& text) { return text_or_null<Json>(text); }

Json moment(int64_t moment_ns) { return monitor::moment_text_ms(moment_ns); }

/// Whole milliseconds: finer digits are noise to people. 0 where the clock was set back between.
std::optional<double> seconds_between(int64_t from_ns, const std::optional<int64_t>& to_ns) {
  if (!to_ns) return std::nullopt;
  const int64_t whole_ms = std::max<int64_t>(0, *to_ns - from_ns) / kNsPerMs;
  return static_cast<double>(whole_ms) / 1000;
}

std::optional<double> seconds_of(const std::optional<int64_t>& ns) {
  return ns ? std::optional(static_cast<double>(*ns) / kSecondNs) : std::nullopt;
}

void put_moment(JsonText& json, std::string_view name, const std::optional<int64_t>& moment_ns) {
  json.key(name);
  moment_ns ? json.value(monitor::moment_text_ms(*moment_ns)) : json.null();
}

void put_inference(JsonText& json, const std::optional<Inference>& inference) {
  json.key("inference");
  if (!inference) {
    json.null();
    return;
  }
  json.open_object().key("model").value(inference->model).or_null("version", inference->version).close_object();
}

void put_attempt(JsonText& json, const Attempt& attempt) {
  json.open_object().key("number").value(attempt.number).key("gpus").value(attempt.gpus);
  put_moment(json, "started", attempt.started_ns);
  put_moment(json, "ended", attempt.ended_ns);
  json.key("cause").value(cause_name(attempt.cause));
  json.or_null("exit_status", attempt.exit_status).or_null("signal", attempt.signal);
  json.or_null("message", attempt.message).key("reserved_bytes").value(attempt.reserved_bytes);
  json.key("memory_source").value(memory_source_name(attempt.memory_source)).or_null("peak_bytes", attempt.peak_bytes);
  json.key("recorded").value(attempt.recorded).close_object();
}

void put_attempts(JsonText& json, const std::vector<Attempt>& attempts) {
  json.key("attempts").open_array();
  for (const Attempt& attempt : attempts) put_attempt(json, attempt);
  json.close_array();
}

/// What was asked for.
void put_spec(JsonText& json, const TaskSpec& spec) {
  json.key("priority").value(spec.priority).key("command");
  spec.command.empty() ? json.null() : json.value(spec.command);
  json.key("arguments_hidden").value(false).or_null("working_directory", spec.folder);
  put_inference(json, spec.inference);
  json.key("gpus").value(spec.gpus).or_null("memory_bytes", spec.memory_bytes);
  json.or_null("time_limit_seconds", seconds_of(spec.time_limit_ns)).or_null("strategy", spec.strategy);
  json.key("after").value(spec.after);
}

/// When it came, was ready, started and ended.
void put_times(JsonText& json, const Task& task) {
  const Attempt* const last = task.last();
  const bool is_blocked = task.state == TaskState::blocked;
  put_moment(json, "submitted", task.submitted_ns);
  json.key("submitted_by").value(task.spec.submitted_by);
  put_moment(json, "ready", is_blocked ? std::nullopt : std::optional(task.ready_ns));
  put_moment(json, "started", task.started_ns);
  put_moment(json, "ended", task.ended_ns);
  json.or_null("wait_seconds", seconds_between(task.ready_ns, task.started_ns));
  json.or_null("run_seconds", last == nullptr ? std::nullopt : seconds_between(last->started_ns, last->ended_ns));
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

void put_task(JsonText& json, const Task& task) {
  const TaskSpec& spec = task.spec;
  json.open_object().key("id").value(task.id).or_null("name", spec.name).key("type").value(spec.type);
  json.key("state").value(state_name(task.state)).key("cause").value(cause_name(task.cause));
  json.or_null("reason", task.reason);
  put_spec(json, spec);
  json.or_null("batch", task.batch == 0 ? std::nullopt : std::optional(task.batch));
  json.key("retries").value(spec.retries).or_null("profile", spec.profile);
  put_times(json, task);
  json.key("cancelling").value(task.cancelling);
  put_attempts(json, task.attempts);
  json.close_object();
}

void put_tasks(JsonText& json, std::span<const Task> tasks) {
  json.open_array();
  for (const Task& task : tasks) put_task(json, task);
  json.close_array();
}

std::string task_text(const Task& task) {
  JsonText json(JsonText::Bad::replaced);
  put_task(json, task);
  return json.take();
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
