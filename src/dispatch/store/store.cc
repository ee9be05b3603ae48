#include "dispatch/store.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <system_error>

#include <fmt/format.h>

#include "dispatch/store/connection.h"
#include "dispatch/store/reading.h"
#include "dispatch/store/restoring.h"
#include "dispatch/store/schema.h"
#include "dispatch/store/writing.h"

namespace sonde::dispatch {
namespace {

using store::Connection;

/// FULL: a transaction is synced before its COMMIT returns.
constexpr const char* kPragmas =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16384; PRAGMA journal_size_limit=33554432;";

/// The texts of a task may be secret: nobody else may read them.
constexpr mode_t kOwnerOnly = 0600;

/// Not with another file layer, which has its own files.
Status make_files(const std::string& folder, const std::string& path) {
  std::error_code error;
  if (std::filesystem::create_directories(folder, error)) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (error) return fail("cannot make {}: {}", folder, error.message());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return fail("cannot write {}: {}", path, std::generic_category().message(errno));
  ::close(file);
  return {};
}

class Sqlite : public TaskStore {
 public:
  Sqlite(std::string path, std::string vfs, std::unique_ptr<Connection> writer)
      : path_(std::move(path)), vfs_(std::move(vfs)), writer_(std::move(writer)) {}

  Result<Restored> restore() override {
    const std::scoped_lock lock(write_mutex_);
    return located(store::restore(*writer_));
  }

  Status save(const Changes& changes) override {
    return write([&]() -> Status {
      for (const Task* task : changes.tasks) SONDE_TRY(store::write_task(*writer_, *task));
      for (const Batch* batch : changes.batches) SONDE_TRY(store::write_batch(*writer_, *batch));
      for (const Decision& decision : changes.decisions) SONDE_TRY(store::write_decision(*writer_, decision));
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
  Result<std::vector<Batch>> list_batches(int64_t before_id, int64_t most) const override {
    return read([&](Connection& db) { return store::list_batches(db, before_id, most); });
  }
  Result<std::vector<Decision>> decisions(int64_t task) const override {
    return read([&](Connection& db) { return store::decisions_of(db, task); });
  }
  Result<std::vector<ProfileRecord>> profiles(int64_t task) const override {
    return read([&](Connection& db) { return store::profiles_of(db, task); });
  }
  Result<std::vector<ProfileRecord>> profiles_of_type(const std::string& type, int64_t most) const override {
    return read([&](Connection& db) { return store::profiles_of_type(db, type, most); });
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
    const std::scoped_lock lock(write_mutex_);
    const auto transaction = [&]() -> Status {
      SONDE_TRY(writer_->execute("BEGIN IMMEDIATE"));
      SONDE_TRY(work());
      return writer_->execute("COMMIT");
    };
    const Status done = transaction();
    writer_->roll_back();
    return located(done);
  }

  template <typename Work>
  auto read(const Work& work) const -> decltype(work(std::declval<Connection&>())) {
    const std::scoped_lock lock(read_mutex_);
    if (!reader_) {
      auto opened = Connection::open(path_, Connection::Access::read_only, vfs_);
      if (!opened) return located(std::unexpected(opened.error()));
      reader_ = std::move(*opened);
    }
    return located(work(*reader_));
  }

  template <typename Outcome>
  Outcome located(Outcome outcome) const {
    if (!outcome) return fail("{}: {}", path_, outcome.error().message);
    return outcome;
  }
  std::unexpected<Error> located(const std::unexpected<Error>& failed) const {
    return fail("{}: {}", path_, failed.error().message);
  }

  std::string path_;
  std::string vfs_;
  std::mutex write_mutex_;
  std::unique_ptr<Connection> writer_;
  mutable std::mutex read_mutex_;
  mutable std::unique_ptr<Connection> reader_;
};

}  // namespace

Result<std::unique_ptr<TaskStore>> TaskStore::open(const std::string& folder, const std::string& vfs) {
  std::string path = folder + "/tasks.db";
  if (vfs.empty()) SONDE_TRY(make_files(folder, path));
  auto writer = Connection::open(path, Connection::Access::read_write, vfs);
  if (!writer) return fail("cannot open {}: {}", path, writer.error().message);
  Status ready = (*writer)->execute(kPragmas);
  if (ready) ready = store::prepare_tables(**writer);
  if (!ready) return fail("cannot use {}: {}", path, ready.error().message);
  return std::make_unique<Sqlite>(std::move(path), vfs, std::move(*writer));
}

}  // namespace sonde::dispatch
