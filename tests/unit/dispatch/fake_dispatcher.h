#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "dispatch/dispatcher.h"

/// A dispatcher that decides nothing: the test changes the state of tasks. It answers at once, or when the test
/// releases the answers.
namespace sonde::dispatch {

class QuietStore final : public TaskStore {
 public:
  [[nodiscard]] Result<Restored> restore() override { return Restored(); }
  [[nodiscard]] Status save(const Changes& /*changes*/) override { return {}; }
  [[nodiscard]] Status save(const ProfileRecord& profile) override {
    kept_profiles.push_back(profile);
    return {};
  }
  [[nodiscard]] Result<std::optional<Task>> find(int64_t task) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    const auto at = tasks.find(task);
    return at == tasks.end() ? std::nullopt : std::optional(at->second);
  }
  [[nodiscard]] Result<std::optional<Batch>> find_batch(int64_t batch) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    const auto at = batches.find(batch);
    return at == batches.end() ? std::nullopt : std::optional(at->second);
  }
  [[nodiscard]] Result<std::vector<Task>> list(const TaskQuery& query) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    std::vector<Task> found;
    for (auto at = tasks.rbegin(); at != tasks.rend() && std::ssize(found) < query.max; ++at) {
      if (fits(at->second, query)) found.push_back(at->second);
    }
    return found;
  }
  [[nodiscard]] Result<std::vector<Batch>> list_batches(int64_t before_id, int64_t max) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    std::vector<Batch> found;
    for (auto at = batches.rbegin(); at != batches.rend() && std::ssize(found) < max; ++at) {
      if (before_id == 0 || at->first < before_id) found.push_back(at->second);
    }
    return found;
  }
  [[nodiscard]] Result<std::vector<Decision>> decisions(int64_t /*task*/) const override {
    return std::vector<Decision>();
  }
  [[nodiscard]] Result<std::vector<ProfileRecord>> profiles(int64_t task) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    std::vector<ProfileRecord> found = kept_profiles;
    std::erase_if(found, [&](const ProfileRecord& one) { return one.task != task; });
    return found;
  }
  [[nodiscard]] Result<std::vector<ProfileRecord>> profiles_of_type(const std::string& /*type*/,
                                                                    int64_t /*max*/) const override {
    if (!trouble.empty()) return fail("{}", trouble);
    return kept_profiles;
  }
  [[nodiscard]] Result<int64_t> task_of_key(const std::string& by, const std::string& key) const override {
    for (const auto& [id, task] : tasks) {
      if (task.spec.submitted_by == by && task.spec.idempotency_key == key) return id;
    }
    return 0;
  }
  [[nodiscard]] Result<int64_t> batch_of_key(const std::string& by, const std::string& key) const override {
    for (const auto& [id, batch] : batches) {
      if (batch.submitted_by == by && batch.idempotency_key == key) return id;
    }
    return 0;
  }
  [[nodiscard]] Result<std::vector<int64_t>> remove_ended_before(int64_t /*moment_ns*/) override {
    return std::vector<int64_t>();
  }

  std::map<int64_t, Task> tasks;
  std::map<int64_t, Batch> batches;
  std::vector<ProfileRecord> kept_profiles;
  std::string trouble;

 private:
  static bool fits(const Task& task, const TaskQuery& query) {
    return (query.states.empty() || std::ranges::find(query.states, task.state) != query.states.end()) &&
           (query.type.empty() || task.spec.type == query.type) &&
           (query.submitted_by.empty() || task.spec.submitted_by == query.submitted_by) &&
           (query.batch == 0 || task.batch == query.batch) && (query.before_id == 0 || task.id < query.before_id);
  }
};

/// Output that the test sets: of one attempt, the same for all streams.
class QuietExecutor final : public Executor {
 public:
  void adopt(std::span<const std::pair<int64_t, int64_t>> /*running*/) override {}
  void start(const Launch& /*launch*/) override {}
  void cancel(int64_t /*task*/, int64_t /*attempt*/) override {}
  void collected(int64_t /*task*/, int64_t /*attempt*/) override {}
  [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> task_of(int64_t /*pid*/) const override { return {}; }
  [[nodiscard]] std::optional<int64_t> pid_of(int64_t /*task*/, int64_t /*attempt*/) const override { return {}; }
  [[nodiscard]] Result<std::optional<LogPart>> log(int64_t /*task*/, int64_t /*attempt*/, LogStream /*stream*/,
                                                   int64_t from, int64_t max) const override {
    const std::scoped_lock lock(mutex);
    const auto size = static_cast<int64_t>(text.size());
    const int64_t begin = std::clamp<int64_t>(from < 0 ? size + from : from, 0, size);
    LogPart part;
    part.text = text.substr(static_cast<size_t>(begin), static_cast<size_t>(max));
    part.from = begin;
    part.next = begin + static_cast<int64_t>(part.text.size());
    part.is_whole = is_over && part.next == size;
    return part;
  }
  [[nodiscard]] std::string folder_of(int64_t /*task*/, int64_t /*attempt*/) const override { return {}; }
  void remove(int64_t /*task*/) override {}
  [[nodiscard]] int64_t bytes() const override { return 0; }
  void stop() override {}

  void print(const std::string& more, bool ends = false) {
    const std::scoped_lock lock(mutex);
    text += more;
    is_over = ends;
  }

  mutable std::mutex mutex;
  std::string text;
  bool is_over = false;
};

class FakeDispatcher final : public Dispatcher {
 public:
  void start() override {}
  void stop(std::chrono::milliseconds /*patience*/) override {}

  void submit(TaskSpec spec, Submitted answered) override {
    if (is_made_again(kept.task_of_key(spec.submitted_by, spec.idempotency_key), spec.idempotency_key, answered))
      return;
    if (refusal) return answered(std::unexpected(*refusal));
    const int64_t id = add(std::move(spec)).id;
    give([id, answered = std::move(answered)] { answered(Made{.id = id}); });
  }
  void submit_batch(std::string name, std::string idempotency_key, std::vector<TaskSpec> specs,
                    Submitted answered) override {
    const auto before = kept.batch_of_key(specs.front().submitted_by, idempotency_key);
    if (is_made_again(before, idempotency_key, answered)) return;
    if (refusal) return answered(std::unexpected(*refusal));
    Batch batch;
    batch.id = std::ssize(kept.batches) + 1;
    batch.name = std::move(name);
    batch.submitted_by = specs.front().submitted_by;
    batch.idempotency_key = std::move(idempotency_key);
    batch.submitted_ns = kMoment_ns;
    for (TaskSpec& spec : specs) {
      Task& task = add(std::move(spec));
      task.batch = batch.id;
      batch.tasks.push_back(task.id);
    }
    kept.batches[batch.id] = batch;
    give([id = batch.id, answered = std::move(answered)] { answered(Made{.id = id}); });
  }
  void cancel(int64_t id, const std::string& by, std::function<void(Result<bool>)> answered) override {
    Task& task = kept.tasks.at(id);
    const bool lives = !is_over(task.state);
    if (lives) {
      task.state = TaskState::cancelled;
      task.cause = EndCause::cancelled;
      task.cancelled_by = by;
      task.ended_ns = kMoment_ns;
    }
    give([lives, answered = std::move(answered)] { answered(lives); });
  }

  [[nodiscard]] Result<std::optional<Task>> find(int64_t task) const override { return kept.find(task); }
  [[nodiscard]] Result<std::optional<Batch>> find_batch(int64_t batch) const override { return kept.find_batch(batch); }
  [[nodiscard]] Result<std::vector<Task>> list(const TaskQuery& query) const override { return kept.list(query); }
  [[nodiscard]] std::vector<Task> queue(size_t max) const override {
    std::vector<Task> waiting;
    for (const auto& [id, task] : kept.tasks) {
      if (task.state == TaskState::waiting && waiting.size() < max) waiting.push_back(task);
    }
    return waiting;
  }
  [[nodiscard]] Result<std::optional<Explanation>> explain(int64_t task) const override {
    if (!kept.tasks.contains(task)) return std::optional<Explanation>();
    Explanation explanation = explained;
    explanation.task = task;
    return explanation;
  }
  [[nodiscard]] TypeFigures figures_of(const std::string& /*type*/) const override { return figures; }
  [[nodiscard]] std::shared_ptr<const QueueSnapshot> snapshot() const override {
    return std::make_shared<QueueSnapshot>(queue_now);
  }
  [[nodiscard]] const TaskStore& store() const override { return kept; }
  [[nodiscard]] const Executor& executor() const override { return output; }
  [[nodiscard]] bool alive(std::chrono::milliseconds /*patience*/) const override { return true; }

  Task& add(TaskSpec spec) {
    Task task;
    task.id = std::ssize(kept.tasks) + 1;
    task.spec = std::move(spec);
    task.submitted_ns = task.ready_ns = kMoment_ns;
    return kept.tasks[task.id] = task;
  }
  /// Releases the held answers.
  void release() {
    holds = false;
    for (const auto& answer : std::exchange(held, {})) answer();
  }

  static constexpr int64_t kMoment_ns = 1'763'784'000'000'000'000;
  QuietStore kept;
  QuietExecutor output;
  QueueSnapshot queue_now;
  Explanation explained;
  TypeFigures figures;
  std::optional<Refused> refusal;
  bool holds = false;
  std::vector<std::function<void()>> held;

 private:
  bool is_made_again(const Result<int64_t>& id, const std::string& key, const Submitted& answered) {
    if (key.empty() || !id || *id == 0) return false;
    give([id = *id, answered] { answered(Made{.id = id, .is_new = false}); });
    return true;
  }
  void give(std::function<void()> answer) {
    if (!holds) return answer();
    held.push_back(std::move(answer));
  }
};

}  // namespace sonde::dispatch
