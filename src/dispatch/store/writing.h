#pragma once

#include "dispatch/store.h"
#include "dispatch/store/connection.h"

/// What is written to tasks.db, within the caller's transaction.
namespace sonde::dispatch::store {

[[nodiscard]] Status write_task(Connection& db, const Task& task);
[[nodiscard]] Status write_batch(Connection& db, const Batch& batch);
[[nodiscard]] Status write_decision(Connection& db, const Decision& decision);
[[nodiscard]] Status write_profile(Connection& db, const ProfileRecord& profile);
/// Those that it removed, at most a thousand, the earliest end first. What a task that is not over comes after stays.
[[nodiscard]] Result<std::vector<int64_t>> remove_ended_before(Connection& db, int64_t moment_ns);

}  // namespace sonde::dispatch::store
