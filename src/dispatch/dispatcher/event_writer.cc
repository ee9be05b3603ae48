#include "dispatch/dispatcher/event_writer.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "dispatch/dispatcher/tally.h"
#include "dispatch/json.h"
#include "monitor/json.h"

namespace sonde::dispatch {
namespace {

using Json = nlohmann::ordered_json;

/// As many as the event log keeps.
constexpr size_t kMaxItems = 4096;

Json states_json(const std::map<TaskState, int64_t>& states) {
  Json json = Json::object();
  for (const auto& [state, count] : states) json[std::string(state_name(state))] = count;
  return json;
}

std::string event_text(const std::string& change, const Task& task) {
  JsonText json(JsonText::Bad::replaced);
  json.open_object().key("change").value(change).key("task");
  put_task(json, task);
  return json.close_object().take();
}

Json event_json(const BatchNews& news) {
  Json json;
  json["change"] = news.change;
  json["batch"] = batch_json(news.batch);
  if (news.change == "ended") json["batch"]["states"] = states_json(news.states);
  return json;
}

/// "gpu_0 gpu_3" and their scores.
std::pair<std::string, std::string> chosen(const Decision& decision) {
  std::string gpus;
  std::string scores;
  for (const Judgement& judgement : decision.gpus) {
    if (!judgement.chosen) continue;
    gpus += fmt::format("{}gpu_{}", gpus.empty() ? "" : " ", judgement.gpu);
    if (judgement.score) scores += fmt::format("{}{:.4g}", scores.empty() ? "" : " ", *judgement.score);
  }
  return {gpus, scores};
}

void log_decision(Log& log, const Decision& decision, int64_t batch) {
  const auto [gpus, scores] = chosen(decision);
  std::vector<LogField> fields = {{"task", fmt::format("{}", decision.task)},
                                  {"attempt", fmt::format("{}", decision.attempt)},
                                  {"gpu", gpus.empty() ? "none" : gpus},
                                  {"strategy", decision.strategy}};
  if (!scores.empty()) fields.push_back({"score", scores});
  if (batch != 0) fields.push_back({"batch", fmt::format("{}", batch)});
  if (!decision.note.empty()) fields.push_back({"note", decision.note});
  log.info("task started", fields);
}

/// "GPU-0:5 GPU-1:3".
std::string split_text(const std::map<std::string, int64_t>& split) {
  std::string text;
  for (const auto& [uuid, count] : split) text += fmt::format("{}{}:{}", text.empty() ? "" : " ", uuid, count);
  return text;
}

void log_batch(Log& log, const BatchNews& news) {
  std::vector<LogField> fields = {{"batch", fmt::format("{}", news.batch.id)},
                                  {"tasks", fmt::format("{}", news.batch.tasks.size())}};
  if (!news.batch.name.empty()) fields.push_back({"name", news.batch.name});
  if (news.change == "submitted") fields.push_back({"by", news.batch.submitted_by});
  if (news.change == "split") fields.push_back({"split", split_text(news.batch.split)});
  if (news.change == "ended") {
    for (const auto& [state, count] : news.states) fields.push_back({state_name(state), fmt::format("{}", count)});
  }
  log.info(fmt::format("batch {}", news.change == "ended" ? "finished" : news.change), fields);
}

/// Tasks that failed are worth a warning, others are for those who debug.
void log_task(Log& log, const std::string& change, const Task& task) {
  std::vector<LogField> fields = {
      {"task", fmt::format("{}", task.id)}, {"type", task.spec.type}, {"state", std::string(state_name(task.state))}};
  if (!task.reason.empty()) fields.push_back({"reason", task.reason});
  if (change == "ended" && task.state == TaskState::failed) return log.warning("task failed", fields);
  if (change == "ended") return log.info("task finished", fields);
  if (change == "retried") {
    if (const Attempt* const over = last_ended(task)) fields.push_back({"cause", std::string(cause_name(over->cause))});
    return log.warning("task retried", fields);
  }
  log.debug(fmt::format("task {}", change), fields);
}

}  // namespace

EventWriter::EventWriter(monitor::EventLog& events, Log& log)
    : events_(&events), log_(&log), thread_([this] { run(); }) {}

void EventWriter::add(Item item) {
  const std::scoped_lock lock(mutex_);
  if (items_.empty()) changed_.notify_one();
  items_.push_back(std::move(item));
  if (items_.size() <= kMaxItems) return;
  const auto oldest = std::ranges::find_if(items_, &Item::can_be_left_out);
  if (oldest == items_.end()) return;
  items_.erase(oldest);
  ++left_out_;
}

void EventWriter::write(const TaskNews& news, const Task& task) {
  add({.write =
           [this, change = news.change, task] {
             log_task(*log_, change, task);
             events_->add("task", event_text(change, task));
           },
       .can_be_left_out = true});
}

void EventWriter::write(Decision decision, int64_t batch) {
  add({.write = [this, decision = std::move(decision), batch] { log_decision(*log_, decision, batch); }});
}

void EventWriter::write(BatchNews news) {
  add({.write = [this, news = std::move(news)] {
    log_batch(*log_, news);
    events_->add("batch", monitor::json_line(event_json(news)));
  }});
}

void EventWriter::write_queue(const EngineCounts& counts, std::string trouble) {
  add({.write = [this, counts, trouble = std::move(trouble)] {
    Json json;
    json["length"] = counts.queue_length;
    json["by_state"] = states_json(counts.by_state);
    json["trouble"] = trouble.empty() ? Json() : Json(trouble);
    events_->add("queue", monitor::json_line(json));
  }});
}

void EventWriter::later(std::function<void()> chore) { add({.write = std::move(chore)}); }

void EventWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !items_.empty(); });
    if (items_.empty()) return;
    const std::deque<Item> items = std::exchange(items_, {});
    const int64_t left_out = std::exchange(left_out_, 0);
    lock.unlock();
    if (left_out > 0) log_->debug("task events were dropped", {{"events", fmt::format("{}", left_out)}});
    for (const Item& item : items) item.write();
    lock.lock();
  }
}

void EventWriter::stop() {
  {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace sonde::dispatch
