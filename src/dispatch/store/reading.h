#pragma once

#include <span>
#include <vector>

#include "dispatch/store.h"
#include "dispatch/store/connection.h"

/// What is read of tasks.db. A row that cannot be read is an error that names it: nothing is passed over.
namespace sonde::dispatch::store {

[[nodiscard]] Result<std::optional<Task>> find_task(Connection& db, int64_t task);
[[nodiscard]] Result<std::optional<Batch>> find_batch(Connection& db, int64_t batch);
[[nodiscard]] Result<std::vector<Task>> list_tasks(Connection& db, const TaskQuery& query);
[[nodiscard]] Result<std::vector<Batch>> list_batches(Connection& db, int64_t before_id, int64_t max);
[[nodiscard]] Result<std::vector<Decision>> decisions_of(Connection& db, int64_t task);
[[nodiscard]] Result<std::vector<ProfileRecord>> profiles_of(Connection& db, int64_t task);
[[nodiscard]] Result<std::vector<ProfileRecord>> open_profiles(Connection& db, int64_t since_ns);
[[nodiscard]] Result<int64_t> started_since_profile(Connection& db, const std::string& type, const std::string& why);
[[nodiscard]] Result<std::vector<ProfileRecord>> profiles_of_type(Connection& db, const std::string& type, int64_t max);
/// Not over.
[[nodiscard]] Result<std::vector<Task>> unfinished_tasks(Connection& db);
/// That have had an attempt, the newest first.
[[nodiscard]] Result<std::vector<Task>> last_started_of_type(Connection& db, const std::string& type, int64_t max);
/// `table`: tasks or batches.
[[nodiscard]] Result<int64_t> id_of_key(Connection& db, std::string_view table, const std::string& by,
                                        const std::string& key);

}  // namespace sonde::dispatch::store
