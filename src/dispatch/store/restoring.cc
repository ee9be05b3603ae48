#include "dispatch/store/restoring.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "dispatch/store/reading.h"

namespace sonde::dispatch::store {
namespace {

/// Tasks of each type from which is learned: as many as Estimates remembers.
constexpr int64_t kMeasuredTasks = 200;

/// Those that the tasks come after, as far as they are known and not among them.
Status add_dependencies(Connection& db, std::vector<Task>& tasks) {
  std::set<int64_t> known;
  std::set<int64_t> wanted;
  for (const Task& task : tasks) {
    known.insert(task.id);
    wanted.insert(task.spec.after.begin(), task.spec.after.end());
  }
  for (const int64_t id : wanted) {
    if (known.contains(id)) continue;
    auto found = find_task(db, id);
    if (!found) return std::unexpected(found.error());
    if (*found) tasks.push_back(std::move(**found));
  }
  return {};
}

Result<std::vector<Batch>> batches_of(Connection& db, const std::vector<Task>& tasks) {
  std::set<int64_t> wanted;
  for (const Task& task : tasks) wanted.insert(task.batch);
  std::vector<Batch> batches;
  for (const int64_t id : wanted) {
    auto found = find_batch(db, id);
    if (!found) return std::unexpected(found.error());
    if (*found) batches.push_back(std::move(**found));
  }
  return batches;
}

Result<std::vector<std::string>> types(Connection& db) {
  auto query = db.query("SELECT DISTINCT type FROM tasks");
  if (!query) return std::unexpected(query.error());
  std::vector<std::string> names;
  while (true) {
    const auto row = query->next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return names;
    names.emplace_back(query->text());
  }
}

/// A recorded attempt ran slower than others do.
Measured measured_of(const Task& task, const Attempt& attempt) {
  const bool succeeded = task.state == TaskState::succeeded && attempt.number == task.last()->number;
  Measured measured{.type = task.spec.type,
                    .gpu_name = attempt.gpu_name,
                    .gpus = static_cast<int64_t>(attempt.gpus.size()),
                    .peak_bytes = attempt.peak_bytes,
                    .run_ns = {},
                    .out_of_memory = attempt.cause == EndCause::out_of_memory,
                    .reserved_bytes = attempt.reserved_bytes,
                    .ended_ns = *attempt.ended_ns,
                    .gpu_uuid = attempt.gpus.size() == 1 ? attempt.gpus.front() : std::string()};
  if (succeeded && !attempt.recorded) measured.run_ns = *attempt.ended_ns - attempt.started_ns;
  return measured;
}

Result<std::vector<Measured>> measured_tasks(Connection& db) {
  const auto names = types(db);
  if (!names) return std::unexpected(names.error());
  std::vector<Measured> list;
  for (const std::string& type : *names) {
    const auto tasks = last_started_of_type(db, type, kMeasuredTasks);
    if (!tasks) return std::unexpected(tasks.error());
    for (const Task& task : *tasks) {
      for (const Attempt& attempt : task.attempts) {
        if (attempt.ended_ns) list.push_back(measured_of(task, attempt));
      }
    }
  }
  std::ranges::stable_sort(list, {}, &Measured::ended_ns);
  return list;
}

Result<int64_t> last_id(Connection& db, std::string_view table, std::string_view what) {
  return db.number(
      fmt::format("SELECT max(coalesce((SELECT max(id) FROM {}), 0), "
                  "coalesce((SELECT id FROM last_ids WHERE what = '{}'), 0))",
                  table, what));
}

template <typename T>
Status put(Result<T> found, T& into) {
  if (!found) return std::unexpected(found.error());
  into = std::move(*found);
  return {};
}

Status restore_into(Connection& db, Restored& restored) {
  SONDE_TRY(put(unfinished_tasks(db), restored.tasks));
  SONDE_TRY(add_dependencies(db, restored.tasks));
  SONDE_TRY(put(batches_of(db, restored.tasks), restored.batches));
  SONDE_TRY(put(measured_tasks(db), restored.measured));
  SONDE_TRY(put(last_id(db, "tasks", "task"), restored.last_task));
  return put(last_id(db, "batches", "batch"), restored.last_batch);
}

}  // namespace

Result<Restored> restore(Connection& db) {
  Restored restored;
  SONDE_TRY(db.execute("BEGIN"));
  const Status done = restore_into(db, restored);
  db.roll_back();
  if (!done) return std::unexpected(done.error());
  std::ranges::sort(restored.tasks, {}, &Task::id);
  return restored;
}

}  // namespace sonde::dispatch::store
