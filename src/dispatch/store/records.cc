#include "dispatch/store/records.h"

#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "dispatch/json_text.h"

namespace sonde::dispatch::store {
namespace {

using Json = nlohmann::json;

/// Keys may be any bytes, which keys of JSON objects may not: [[key, value], ...].
JsonText& pairs(JsonText& json, std::string_view name, const std::map<std::string, std::string>& map) {
  if (map.empty()) return json;
  json.key(name).open_array();
  for (const auto& [key, value] : map) {
    json.open_array().value(std::string_view(key)).value(std::string_view(value)).close_array();
  }
  return json.close_array();
}

void put_attempt(JsonText& json, const Attempt& attempt) {
  json.open_object().key("number").value(attempt.number).member("gpus", attempt.gpus);
  json.member("gpu_name", attempt.gpu_name).member("reserved_bytes", attempt.reserved_bytes);
  json.key("memory_source").value(memory_source_name(attempt.memory_source));
  json.key("started_ns").value(attempt.started_ns).member("ended_ns", attempt.ended_ns);
  json.key("cause").value(cause_name(attempt.cause)).member("exit_status", attempt.exit_status);
  json.member("signal", attempt.signal).member("message", attempt.message).member("peak_bytes", attempt.peak_bytes);
  json.member("recorded", attempt.recorded).close_object();
}

void put_judgement(JsonText& json, const Judgement& judgement) {
  json.open_object().key("gpu").value(static_cast<int64_t>(judgement.gpu)).member("uuid", judgement.uuid);
  if (judgement.score) json.key("score").value(*judgement.score);
  json.member("score_text", judgement.score_text).member("chosen", judgement.chosen);
  if (!judgement.refusals.empty()) json.key("refusals").open_array();
  for (const Refusal& refusal : judgement.refusals) {
    json.open_object().key("rule").value(refusal.rule).member("reason", refusal.reason);
    json.member("unblocked", refusal.unblocked).member("for_good", refusal.is_for_good).close_object();
  }
  if (!judgement.refusals.empty()) json.close_array();
  json.close_object();
}

/// Thrown, as the library's exceptions are, for what cannot be read; never leaves this file.
[[noreturn]] void broken() { throw std::runtime_error("broken"); }

unsigned digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  broken();
}

std::string text_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto& digits = json.at("hex").get_ref<const std::string&>();
  if (digits.size() % 2 != 0) broken();
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(digit_of(digits[i]) * 16 + digit_of(digits[i + 1]));
  }
  return bytes;
}

// The templates below find only what is declared above them.
void take(const Json& json, Inference& inference);
void take(const Json& json, Attempt& attempt);
void take(const Json& json, Refusal& refusal);
void take(const Json& json, Judgement& judgement);

void take(const Json& json, std::string& value) { value = text_of(json); }
void take(const Json& json, int64_t& value) {
  if (!json.is_number_integer()) broken();
  value = json.get<int64_t>();
}
void take(const Json& json, size_t& value) {
  if (!json.is_number_unsigned()) broken();
  value = json.get<size_t>();
}
void take(const Json& json, bool& value) { value = json.get<bool>(); }
void take(const Json& json, double& value) {
  value = json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}
template <typename T>
void take(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) broken();
  for (const Json& one : json) take(one, values.emplace_back());
}
template <typename T>
void take(const Json& json, std::optional<T>& value) {
  take(json, value.emplace());
}
void take(const Json& json, std::map<std::string, std::string>& map) {
  for (const Json& pair : json) map[text_of(pair.at(0))] = text_of(pair.at(1));
}
void take(const Json& json, std::map<std::string, int64_t>& map) {
  for (const Json& pair : json) take(pair.at(1), map[text_of(pair.at(0))]);
}
void take(const Json& json, EndCause& cause) {
  const auto known = cause_of(json.get_ref<const std::string&>());
  if (!known) broken();
  cause = *known;
}
void take(const Json& json, MemorySource& source) {
  for (const auto known : {MemorySource::declared, MemorySource::learned, MemorySource::share}) {
    if (json == memory_source_name(known)) {
      source = known;
      return;
    }
  }
  broken();
}

template <typename T>
void member(const Json& json, const char* name, T& value) {
  if (const auto at = json.find(name); at != json.end()) take(*at, value);
}

void take(const Json& json, Inference& inference) {
  member(json, "model", inference.model);
  member(json, "version", inference.version);
  member(json, "request", inference.request);
}

void take(const Json& json, Attempt& attempt) {
  member(json, "number", attempt.number);
  member(json, "gpus", attempt.gpus);
  member(json, "gpu_name", attempt.gpu_name);
  member(json, "reserved_bytes", attempt.reserved_bytes);
  member(json, "memory_source", attempt.memory_source);
  member(json, "started_ns", attempt.started_ns);
  member(json, "ended_ns", attempt.ended_ns);
  member(json, "cause", attempt.cause);
  member(json, "exit_status", attempt.exit_status);
  member(json, "signal", attempt.signal);
  member(json, "message", attempt.message);
  member(json, "peak_bytes", attempt.peak_bytes);
  member(json, "recorded", attempt.recorded);
}

/// A name that lives as long as the program: there are as many as there are rules, of all versions.
std::string_view lasting(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::scoped_lock lock(mutex);
  return *names.insert(name).first;
}

void take(const Json& json, Refusal& refusal) {
  refusal.rule = lasting(text_of(json.at("rule")));
  member(json, "reason", refusal.reason);
  member(json, "unblocked", refusal.unblocked);
  member(json, "for_good", refusal.is_for_good);
}

void take(const Json& json, Judgement& judgement) {
  member(json, "gpu", judgement.gpu);
  member(json, "uuid", judgement.uuid);
  member(json, "refusals", judgement.refusals);
  member(json, "score", judgement.score);
  member(json, "score_text", judgement.score_text);
  member(json, "chosen", judgement.chosen);
}

void take(const Json& json, TaskSpec& spec) {
  member(json, "command", spec.command);
  member(json, "environment", spec.environment);
  member(json, "folder", spec.folder);
  member(json, "inference", spec.inference);
  member(json, "workers", spec.workers);
  member(json, "gpus", spec.gpus);
  member(json, "memory_bytes", spec.memory_bytes);
  member(json, "time_limit_ns", spec.time_limit_ns);
  member(json, "strategy", spec.strategy);
  member(json, "after", spec.after);
  member(json, "retries", spec.retries);
  member(json, "retry_failures", spec.retry_failures);
  member(json, "profile", spec.profile);
  member(json, "simulated_utilization_percent", spec.simulated_utilization_percent);
  member(json, "simulated_memory_bytes", spec.simulated_memory_bytes);
}

void take(const Json& json, Task& task) {
  member(json, "attempts", task.attempts);
  member(json, "cancelling", task.cancelling);
  member(json, "cancelled_by", task.cancelled_by);
  member(json, "least_room_bytes", task.least_room_bytes);
  member(json, "only_gpus", task.only_gpus);
}

void take(const Json& json, Batch& batch) {
  member(json, "tasks", batch.tasks);
  member(json, "split", batch.split);
}

void take(const Json& json, Decision& decision) {
  member(json, "note", decision.note);
  member(json, "waiting", decision.waiting);
  member(json, "gpus", decision.gpus);
}

template <typename T>
bool read(std::string_view text, T& value) {
  try {
    const Json json = Json::parse(text);
    if (!json.is_object()) return false;
    take(json, value);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

std::string spec_text(const TaskSpec& spec) {
  JsonText json;
  json.open_object().member("command", spec.command);
  pairs(json, "environment", spec.environment).member("folder", spec.folder);
  if (spec.inference) {
    json.key("inference").open_object().member("model", spec.inference->model);
    json.member("version", spec.inference->version).member("request", spec.inference->request).close_object();
  }
  pairs(json, "workers", spec.workers).key("gpus").value(spec.gpus).member("memory_bytes", spec.memory_bytes);
  json.member("time_limit_ns", spec.time_limit_ns).member("strategy", spec.strategy).member("after", spec.after);
  json.member("retries", spec.retries).member("retry_failures", spec.retry_failures).member("profile", spec.profile);
  json.key("simulated_utilization_percent").value(spec.simulated_utilization_percent);
  return json.member("simulated_memory_bytes", spec.simulated_memory_bytes).close_object().take();
}

std::string detail_text(const Task& task) {
  JsonText json;
  json.open_object();
  if (!task.attempts.empty()) {
    json.key("attempts").open_array();
    for (const Attempt& attempt : task.attempts) put_attempt(json, attempt);
    json.close_array();
  }
  json.member("cancelling", task.cancelling).member("cancelled_by", task.cancelled_by);
  json.member("least_room_bytes", task.least_room_bytes).member("only_gpus", task.only_gpus);
  return json.close_object().take();
}

std::string batch_text(const Batch& batch) {
  JsonText json;
  json.open_object().member("tasks", batch.tasks);
  if (!batch.split.empty()) {
    json.key("split").open_array();
    for (const auto& [uuid, tasks] : batch.split) {
      json.open_array().value(std::string_view(uuid)).value(tasks).close_array();
    }
    json.close_array();
  }
  return json.close_object().take();
}

std::string decision_text(const Decision& decision) {
  JsonText json;
  json.open_object().member("note", decision.note).member("waiting", decision.waiting);
  json.key("gpus").open_array();
  for (const Judgement& judgement : decision.gpus) put_judgement(json, judgement);
  return json.close_array().close_object().take();
}

bool read_spec(std::string_view text, TaskSpec& spec) { return read(text, spec); }
bool read_detail(std::string_view text, Task& task) { return read(text, task); }
bool read_batch(std::string_view text, Batch& batch) { return read(text, batch); }
bool read_decision(std::string_view text, Decision& decision) { return read(text, decision); }

}  // namespace sonde::dispatch::store
