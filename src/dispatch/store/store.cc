#include "dispatch/store.h"

#include <mutex>

#include <fmt/format.h>

#include "dispatch/store/checkpointer.h"
#include "dispatch/store/connection.h"
#include "dispatch/store/files.h"
#include "dispatch/store/readers.h"
#include "dispatch/store/reading.h"
#include "dispatch/store/restoring.h"
#include "dispatch/store/schema.h"
#include "dispatch/store/writing.h"

namespace sonde::dispatch {
namespace {

using store::Connection;

/// FULL: a transaction is synced before its COMMIT returns. The log is cut to 32 MB when it begins anew.
constexpr const char* kPragmas =
    "PRAGMA synchronous=FULL; PRAGMA cache_size=-16384; PRAGMA journal_size_limit=33554432;";

Status use_log(Connection& db) {
  auto query = db.query("PRAGMA journal_mode=WAL");
  if (!query) return std::unexpected(query.error());
  const auto row = query->next();
  if (!row) return std::unexpected(row.error());
  if (query->text() == "wal") return {};
  return fail(
      "SQLite's write-ahead log does not work on this file system (is it a network file system?): set "
      "sonde.history.path to a folder on a local disk");
}

Status prepare(Connection& db) {
  SONDE_TRY(use_log(db));
  if (db.is_read_only()) return fail("it is not writable: make the file and its folder writable for the service");
  SONDE_TRY(db.execute(kPragmas));
  return store::prepare_tables(db);
}

class Sqlite : public TaskStore {
 public:
  Sqlite(std::string path, const std::string& vfs, std::unique_ptr<Connection> writer,
         std::unique_ptr<Connection> checkpointer)
      : path_(std::move(path)),
        writer_(std::move(writer)),
        readers_(path_, vfs),
        checkpointer_(std::move(checkpointer)) {}

  Result<Restored> restore() override {
    const std::scoped_lock lock(mutex_);
    return located(store::restore(*writer_));
  }

  Status save(const Changes& changes) override {
    return write([&]() -> Status {
      for (const Task* task : changes.tasks) SONDE_TRY(store::write_task(*writer_, *task));
      for (const Batch* batch : changes.batches) SONDE_TRY(store::write_batch(*writer_, *batch));
      for (const Decision& decision : changes.decisions) SONDE_TRY(store::write_decision(*writer_, decision));
      for (const ProfileRecord& profile : changes.profiles) SONDE_TRY(store::write_profile(*writer_, profile));
      return {};
    });
  }
  Status save(const ProfileRecord& profile) override {
    return write([&] { return store::write_profile(*writer_, profile); });
  }

  Status probe() override {
    return write([&]() -> Status {
      const auto version = writer_->number("PRAGMA user_version");
      if (!version) return std::unexpected(version.error());
      return writer_->execute(fmt::format("PRAGMA user_version = {}", *version).c_str());
    });
  }

  Result<std::optional<Task>> find(int64_t task) const override {
    return read([&](Connection& db) { return store::find_task(db, task); });
  }
  Result<std::optional<Batch>> find_batch(int64_t batch) const override {
    return read([&](Connection& db) { return store::find_batch(db, batch); });
  }
  Result<std::vector<Task>> list(const TaskQuery& query) const override {
    return read([&](Connection& db) { return store::list_tasks(db, query); });
  }
  Result<std::vector<Batch>> list_batches(int64_t before_id, int64_t max) const override {
    return read([&](Connection& db) { return store::list_batches(db, before_id, max); });
  }
  Result<std::vector<Decision>> decisions(int64_t task) const override {
    return read([&](Connection& db) { return store::decisions_of(db, task); });
  }
  Result<std::vector<ProfileRecord>> profiles(int64_t task) const override {
    return read([&](Connection& db) { return store::profiles_of(db, task); });
  }
  Result<std::vector<ProfileRecord>> profiles_of_type(const std::string& type, int64_t max) const override {
    return read([&](Connection& db) { return store::profiles_of_type(db, type, max); });
  }
  Result<std::vector<ProfileRecord>> open_profiles(int64_t since_ns) const override {
    return read([&](Connection& db) { return store::open_profiles(db, since_ns); });
  }
  Result<int64_t> started_since_profile(const std::string& type, const std::string& why) const override {
    return read([&](Connection& db) { return store::started_since_profile(db, type, why); });
  }
  Result<int64_t> task_of_key(const std::string& by, const std::string& key) const override {
    return read([&](Connection& db) { return store::id_of_key(db, "tasks", by, key); });
  }
  Result<int64_t> batch_of_key(const std::string& by, const std::string& key) const override {
    return read([&](Connection& db) { return store::id_of_key(db, "batches", by, key); });
  }

  Result<std::vector<int64_t>> remove_ended_before(int64_t moment_ns) override {
    std::vector<int64_t> removed;
    SONDE_TRY(write([&]() -> Status {
      auto ids = store::remove_ended_before(*writer_, moment_ns);
      if (!ids) return std::unexpected(ids.error());
      removed = std::move(*ids);
      return {};
    }));
    return removed;
  }

 private:
  /// In one transaction, which is not kept where anything fails.
  template <typename Work>
  Status write(const Work& work) {
    const std::scoped_lock lock(mutex_);
    const Status done = transaction(work);
    writer_->roll_back();
    if (done) checkpointer_.saved(*writer_, writer_->log_pages());
    return located(done);
  }

  template <typename Work>
  Status transaction(const Work& work) {
    if (writer_->is_moved()) {
      return fail("the file was moved or removed while the service was running: restore it, or restart the service");
    }
    SONDE_TRY(writer_->execute("BEGIN IMMEDIATE"));
    SONDE_TRY(work());
    return writer_->execute("COMMIT");
  }

  template <typename Work>
  auto read(const Work& work) const -> decltype(work(std::declval<Connection&>())) {
    return located(readers_.read(work));
  }

  template <typename Outcome>
  Outcome located(Outcome outcome) const {
    if (!outcome) return fail("{}: {}", path_, outcome.error().message);
    return outcome;
  }

  std::string path_;
  std::mutex mutex_;                    ///< of the writer
  std::unique_ptr<Connection> writer_;  ///< closed last: it then clears the log away
  mutable store::Readers readers_;
  store::Checkpointer checkpointer_;
};

}  // namespace

Result<std::unique_ptr<TaskStore>> TaskStore::open(const std::string& folder, const std::string& vfs) {
  std::string path = folder + "/tasks.db";
  if (vfs.empty()) SONDE_TRY(store::make_files(folder, path));  // another file layer has its own
  auto writer = Connection::open(path, Connection::Access::read_write, vfs);
  if (!writer) return fail("cannot open {}: {}", path, writer.error().message);
  if (const Status ready = prepare(**writer); !ready) return fail("cannot use {}: {}", path, ready.error().message);
  auto checkpointer = Connection::open(path, Connection::Access::read_write, vfs);
  if (!checkpointer) return fail("cannot open {}: {}", path, checkpointer.error().message);
  return std::make_unique<Sqlite>(std::move(path), vfs, std::move(*writer), std::move(*checkpointer));
}

}  // namespace sonde::dispatch
