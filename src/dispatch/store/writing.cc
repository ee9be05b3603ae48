#include "dispatch/store/writing.h"

#include <set>

#include <fmt/format.h>

#include "dispatch/json_text.h"
#include "dispatch/store/records.h"

namespace sonde::dispatch::store {
namespace {

constexpr int64_t kRemovedAtOnce = 1000;

std::optional<int64_t> batch_number(const Task& task) {
  return task.batch == 0 ? std::nullopt : std::optional(task.batch);
}

/// False where there is no such task yet.
Result<bool> update_task(Connection& db, const Task& task, const std::string& detail) {
  auto query = db.query(
      "UPDATE tasks SET state = ?, cause = ?, reason = ?, batch = ?, ready_ns = ?, started_ns = ?, ended_ns = ?, "
      "detail = ? WHERE id = ?");
  if (!query) return std::unexpected(query.error());
  query->bind(state_name(task.state)).bind(cause_name(task.cause)).bind(task.reason).bind(batch_number(task));
  query->bind(task.ready_ns).bind(task.started_ns).bind(task.ended_ns).bind(detail).bind(task.id);
  SONDE_TRY(query->run());
  return db.changed_rows() != 0;
}

Status insert_spec(Connection& db, const Task& task) {
  auto query = db.query("INSERT OR REPLACE INTO specs (task, after_tasks, spec) VALUES (?, ?, ?)");
  if (!query) return std::unexpected(query.error());
  const std::string spec = spec_text(task.spec);
  std::string after;
  if (!task.spec.after.empty()) after = JsonText().value(task.spec.after).take();
  return query->bind(task.id).bind_filled(after).bind(spec).run();
}

Status insert_task(Connection& db, const Task& task, const std::string& detail) {
  SONDE_TRY(insert_spec(db, task));
  auto query = db.query(
      "INSERT INTO tasks (id, state, cause, reason, name, type, priority, submitted_by, idempotency_key, batch, "
      "submitted_ns, ready_ns, started_ns, ended_ns, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!query) return std::unexpected(query.error());
  const TaskSpec& spec = task.spec;
  query->bind(task.id).bind(state_name(task.state)).bind(cause_name(task.cause)).bind(task.reason).bind(spec.name);
  query->bind(spec.type).bind(spec.priority).bind(spec.submitted_by).bind_filled(spec.idempotency_key);
  query->bind(batch_number(task)).bind(task.submitted_ns).bind(task.ready_ns).bind(task.started_ns);
  return query->bind(task.ended_ns).bind(detail).run();
}

Status run_with(Connection& db, std::string_view sql, int64_t value) {
  auto query = db.query(sql);
  if (!query) return std::unexpected(query.error());
  return query->bind(value).run();
}

/// Ids go on behind it although the row is about to be removed.
Status remember_last_ids(Connection& db) {
  return db.execute(
      "INSERT OR REPLACE INTO last_ids (what, id) SELECT 'task', max(id) FROM (SELECT max(id) AS id FROM tasks UNION "
      "ALL SELECT id FROM last_ids WHERE what = 'task') HAVING max(id) IS NOT NULL;"
      "INSERT OR REPLACE INTO last_ids (what, id) SELECT 'batch', max(id) FROM (SELECT max(id) AS id FROM batches "
      "UNION ALL SELECT id FROM last_ids WHERE what = 'batch') HAVING max(id) IS NOT NULL;");
}

struct Removable {
  std::vector<int64_t> tasks;
  std::set<int64_t> batches;
};

/// The plus keeps SQLite from the index of states, by which it would look at everything that is over.
Result<Removable> removable(Connection& db, int64_t moment_ns) {
  auto query = db.query(
      "SELECT id, batch FROM tasks WHERE ended_ns < ? AND +state IN ('succeeded', 'failed', 'cancelled') AND id NOT IN "
      "(SELECT j.value FROM tasks t JOIN specs s ON s.task = t.id JOIN json_each(s.after_tasks) j "
      "WHERE t.state IN ('blocked', 'waiting', 'running') AND s.after_tasks IS NOT NULL) ORDER BY ended_ns LIMIT ?");
  if (!query) return std::unexpected(query.error());
  query->bind(moment_ns).bind(kRemovedAtOnce);
  Removable found;
  while (true) {
    const auto row = query->next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return found;
    found.tasks.push_back(query->integer());
    if (const auto batch = query->optional_integer()) found.batches.insert(*batch);
  }
}

/// A batch goes with the last of its tasks.
Status remove_empty_batch(Connection& db, int64_t batch) {
  return run_with(db, "DELETE FROM batches WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE batch = ?1)", batch);
}

Status remove_task(Connection& db, int64_t task) {
  SONDE_TRY(run_with(db, "DELETE FROM profiles WHERE task = ?", task));
  SONDE_TRY(run_with(db, "DELETE FROM decisions WHERE task = ?", task));
  SONDE_TRY(run_with(db, "DELETE FROM specs WHERE task = ?", task));
  return run_with(db, "DELETE FROM tasks WHERE id = ?", task);
}

}  // namespace

Status write_task(Connection& db, const Task& task) {
  const std::string detail = detail_text(task);
  const auto known = update_task(db, task, detail);
  if (!known) return std::unexpected(known.error());
  return *known ? Status() : insert_task(db, task, detail);
}

Status write_batch(Connection& db, const Batch& batch) {
  auto query = db.query(
      "INSERT OR REPLACE INTO batches (id, name, submitted_by, idempotency_key, submitted_ns, detail) "
      "VALUES (?, ?, ?, ?, ?, ?)");
  if (!query) return std::unexpected(query.error());
  const std::string detail = batch_text(batch);
  query->bind(batch.id).bind(batch.name).bind(batch.submitted_by).bind_filled(batch.idempotency_key);
  return query->bind(batch.submitted_ns).bind(detail).run();
}

Status write_decision(Connection& db, const Decision& decision) {
  auto query =
      db.query("INSERT OR REPLACE INTO decisions (task, attempt, moment_ns, strategy, detail) VALUES (?, ?, ?, ?, ?)");
  if (!query) return std::unexpected(query.error());
  const std::string detail = decision_text(decision);
  query->bind(decision.task).bind(decision.attempt).bind(decision.moment_ns).bind(decision.strategy);
  return query->bind(detail).run();
}

Status write_profile(Connection& db, const ProfileRecord& profile) {
  auto query = db.query(
      "INSERT OR REPLACE INTO profiles (task, attempt, moment_ns, why, state, file, findings, trouble) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  if (!query) return std::unexpected(query.error());
  query->bind(profile.task).bind(profile.attempt).bind(profile.moment_ns).bind(profile.why).bind(profile.state);
  return query->bind(profile.file).bind(profile.findings).bind(profile.trouble).run();
}

Result<std::vector<int64_t>> remove_ended_before(Connection& db, int64_t moment_ns) {
  auto found = removable(db, moment_ns);
  if (!found) return std::unexpected(found.error());
  if (found->tasks.empty()) return found->tasks;
  SONDE_TRY(remember_last_ids(db));
  for (const int64_t task : found->tasks) SONDE_TRY(remove_task(db, task));
  for (const int64_t batch : found->batches) SONDE_TRY(remove_empty_batch(db, batch));
  return std::move(found->tasks);
}

}  // namespace sonde::dispatch::store
