#include "dispatch/store/reading.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "dispatch/store/records.h"

namespace sonde::dispatch::store {
namespace {

/// In the order in which task_of() reads them.
constexpr std::string_view kTaskRows =
    "SELECT t.id, t.state, t.cause, t.reason, t.name, t.type, t.priority, t.submitted_by, t.idempotency_key, t.batch, "
    "t.submitted_ns, t.ready_ns, t.started_ns, t.ended_ns, t.detail, s.spec FROM tasks t JOIN specs s ON s.task = t.id";
constexpr std::string_view kBatchRows =
    "SELECT id, name, submitted_by, idempotency_key, submitted_ns, detail FROM batches";
constexpr std::string_view kProfileRows =
    "SELECT p.task, p.attempt, p.moment_ns, p.why, p.state, p.file, p.findings, p.trouble FROM profiles p";

constexpr auto kStates = std::to_array({TaskState::blocked, TaskState::waiting, TaskState::running,
                                        TaskState::succeeded, TaskState::failed, TaskState::cancelled});

int64_t below(int64_t before_id) { return before_id == 0 ? std::numeric_limits<int64_t>::max() : before_id; }

std::unexpected<Error> unreadable(std::string_view what, int64_t id) {
  return fail("{} {} cannot be read: its row was edited by hand or written by another version of sonde", what, id);
}

Result<Task> task_of(Query& row) {
  Task task;
  task.id = row.integer();
  const auto state = state_of(row.text());
  const auto cause = cause_of(row.text());
  task.reason = row.text();
  task.spec.name = row.text();
  task.spec.type = row.text();
  task.spec.priority = row.text();
  task.spec.submitted_by = row.text();
  task.spec.idempotency_key = row.text();
  task.batch = row.integer();
  task.submitted_ns = row.integer();
  task.ready_ns = row.integer();
  task.started_ns = row.optional_integer();
  task.ended_ns = row.optional_integer();
  const bool is_whole = read_detail(row.text(), task) && read_spec(row.text(), task.spec);
  if (!state || !cause || !is_whole) return unreadable("task", task.id);
  task.state = *state;
  task.cause = *cause;
  return task;
}

Result<Batch> batch_of(Query& row) {
  Batch batch;
  batch.id = row.integer();
  batch.name = row.text();
  batch.submitted_by = row.text();
  batch.idempotency_key = row.text();
  batch.submitted_ns = row.integer();
  if (!read_batch(row.text(), batch)) return unreadable("batch", batch.id);
  return batch;
}

Result<Decision> decision_of(Query& row) {
  Decision decision;
  decision.task = row.integer();
  decision.attempt = row.integer();
  decision.moment_ns = row.integer();
  decision.strategy = row.text();
  if (!read_decision(row.text(), decision)) return unreadable("a decision of task", decision.task);
  return decision;
}

Result<ProfileRecord> profile_of(Query& row) {
  ProfileRecord profile;
  profile.task = row.integer();
  profile.attempt = row.integer();
  profile.moment_ns = row.integer();
  profile.why = row.text();
  profile.state = row.text();
  profile.file = row.text();
  profile.findings = row.text();
  profile.trouble = row.text();
  return profile;
}

template <typename T>
Result<std::vector<T>> all(Query& query, Result<T> (*make)(Query& row)) {
  std::vector<T> list;
  while (true) {
    const auto row = query.next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return list;
    auto made = make(query);
    if (!made) return std::unexpected(made.error());
    list.push_back(std::move(*made));
  }
}

template <typename T>
Result<std::optional<T>> one(Query& query, Result<T> (*make)(Query& row)) {
  const auto row = query.next();
  if (!row) return std::unexpected(row.error());
  if (!*row) return std::optional<T>();
  auto made = make(query);
  if (!made) return std::unexpected(made.error());
  return std::optional<T>(std::move(*made));
}

/// Of one state, or of any. Each condition is one that an index serves, so that a rare one is not searched for in all.
Result<std::vector<Task>> tasks_of_state(Connection& db, const TaskQuery& asked, std::optional<TaskState> state) {
  std::string sql(kTaskRows);
  sql += " WHERE t.id < ?1";
  if (state) sql += fmt::format(" AND t.state = '{}'", state_name(*state));
  if (!asked.type.empty()) sql += " AND t.type = ?2";
  if (!asked.submitted_by.empty()) sql += " AND t.submitted_by = ?3";
  if (asked.batch != 0) sql += " AND t.batch = ?4";
  sql += " ORDER BY t.id DESC LIMIT ?5";
  auto query = db.query(sql);
  if (!query) return std::unexpected(query.error());
  query->bind(below(asked.before_id)).bind(asked.type).bind(asked.submitted_by).bind(asked.batch).bind(asked.max);
  return all(*query, task_of);
}

Result<std::vector<Task>> tasks_of_states(Connection& db, const TaskQuery& asked) {
  std::vector<Task> list;
  for (const TaskState state : kStates) {
    if (std::ranges::find(asked.states, state) == asked.states.end()) continue;
    auto some = tasks_of_state(db, asked, state);
    if (!some) return some;
    std::ranges::move(*some, std::back_inserter(list));
  }
  std::ranges::sort(list, std::greater(), &Task::id);
  if (std::cmp_greater(list.size(), asked.max)) list.resize(static_cast<size_t>(asked.max));
  return list;
}

}  // namespace

Result<std::optional<Task>> find_task(Connection& db, int64_t task) {
  auto query = db.query(fmt::format("{} WHERE t.id = ?", kTaskRows));
  if (!query) return std::unexpected(query.error());
  return one(query->bind(task), task_of);
}

Result<std::optional<Batch>> find_batch(Connection& db, int64_t batch) {
  auto query = db.query(fmt::format("{} WHERE id = ?", kBatchRows));
  if (!query) return std::unexpected(query.error());
  return one(query->bind(batch), batch_of);
}

Result<std::vector<Task>> list_tasks(Connection& db, const TaskQuery& query) {
  if (query.max <= 0) return std::vector<Task>();
  if (query.states.empty()) return tasks_of_state(db, query, std::nullopt);
  SONDE_TRY(db.execute("BEGIN"));  // one that changes its state meanwhile is not seen twice
  auto list = tasks_of_states(db, query);
  db.roll_back();
  return list;
}

Result<std::vector<Batch>> list_batches(Connection& db, int64_t before_id, int64_t max) {
  auto query = db.query(fmt::format("{} WHERE id < ? ORDER BY id DESC LIMIT ?", kBatchRows));
  if (!query) return std::unexpected(query.error());
  return all(query->bind(below(before_id)).bind(std::max<int64_t>(0, max)), batch_of);
}

Result<std::vector<Decision>> decisions_of(Connection& db, int64_t task) {
  auto query =
      db.query("SELECT task, attempt, moment_ns, strategy, detail FROM decisions WHERE task = ? ORDER BY attempt");
  if (!query) return std::unexpected(query.error());
  return all(query->bind(task), decision_of);
}

Result<std::vector<ProfileRecord>> profiles_of(Connection& db, int64_t task) {
  auto query = db.query(fmt::format("{} WHERE p.task = ? ORDER BY p.attempt", kProfileRows));
  if (!query) return std::unexpected(query.error());
  return all(query->bind(task), profile_of);
}

Result<std::vector<ProfileRecord>> profiles_of_type(Connection& db, const std::string& type, int64_t max) {
  auto query = db.query(fmt::format(
      "{} CROSS JOIN tasks t ON t.id = p.task WHERE t.type = ? ORDER BY p.moment_ns DESC LIMIT ?", kProfileRows));
  if (!query) return std::unexpected(query.error());
  return all(query->bind(type).bind(std::max<int64_t>(0, max)), profile_of);
}

Result<std::vector<ProfileRecord>> open_profiles(Connection& db, int64_t since_ns) {
  auto query = db.query(fmt::format(
      "{} WHERE p.file <> '' OR p.state IN ('recording', 'analysing') OR p.moment_ns >= ? ORDER BY p.moment_ns",
      kProfileRows));
  if (!query) return std::unexpected(query.error());
  return all(query->bind(since_ns), profile_of);
}

Result<int64_t> started_since_profile(Connection& db, const std::string& type, const std::string& why) {
  auto query = db.query(
      "SELECT count(*) FROM tasks WHERE type = ?1 AND started_ns > coalesce((SELECT max(t.started_ns) FROM profiles p "
      "JOIN tasks t ON t.id = p.task WHERE t.type = ?1 AND p.why = ?2), -1)");
  if (!query) return std::unexpected(query.error());
  const auto row = query->bind(type).bind(why).next();
  if (!row) return std::unexpected(row.error());
  return query->integer();
}

Result<std::vector<Task>> unfinished_tasks(Connection& db) {
  auto query = db.query(fmt::format("{} WHERE t.state IN ('blocked', 'waiting', 'running')", kTaskRows));
  if (!query) return std::unexpected(query.error());
  return all(*query, task_of);
}

Result<std::vector<Task>> last_started_of_type(Connection& db, const std::string& type, int64_t max) {
  auto query =
      db.query(fmt::format("{} WHERE t.type = ? AND t.started_ns IS NOT NULL ORDER BY t.id DESC LIMIT ?", kTaskRows));
  if (!query) return std::unexpected(query.error());
  return all(query->bind(type).bind(max), task_of);
}

Result<int64_t> id_of_key(Connection& db, std::string_view table, const std::string& by, const std::string& key) {
  auto query = db.query(
      fmt::format("SELECT coalesce(min(id), 0) FROM {} WHERE submitted_by = ? AND idempotency_key = ?", table));
  if (!query) return std::unexpected(query.error());
  const auto row = query->bind(by).bind(key).next();
  if (!row) return std::unexpected(row.error());
  return query->integer();
}

}  // namespace sonde::dispatch::store
