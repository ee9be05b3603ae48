#include "monitor/history/store.h"

#include "monitor/history/records.h"

namespace sonde::monitor::history {
namespace {

constexpr int64_t kVersion = 1;
/// Rows of all GPUs stand by time, so that new ones are appended and pages are full: id = minute * kGpus + GPU.
constexpr int64_t kGpus = 4096;
constexpr int64_t kForgottenAtOnce = 4000;

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS gpus (number INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS minutes (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS incidents (id INTEGER PRIMARY KEY, gpu_uuid TEXT NOT NULL, cleared_ns INTEGER, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS waste (day INTEGER NOT NULL, data TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS waste_by_day ON waste (day);
)";

/// SQLite's words for bytes that are no database.
StoreFailure failure_of(const Error& error) {
  const bool damaged =
      error.message.find("malformed") != std::string::npos || error.message.find("not a database") != std::string::npos;
  return {.message = error.message, .damaged = damaged};
}

template <typename T>
Stores<T> stores(Result<T> result) {
  if (!result) return std::unexpected(failure_of(result.error()));
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return std::move(*result);
  }
}

Result<int64_t> one_integer(const Database& db, const char* sql) {
  auto query = db.prepare(sql);
  if (!query) return std::unexpected(query.error());
  const auto row = query->next();
  if (!row) return std::unexpected(row.error());
  return *row ? query->integer(0) : 0;
}

/// Calls `take` for each row.
template <typename Take>
Status each_row(Statement& query, const Take& take) {
  while (true) {
    const auto row = query.next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return {};
    take(query);
  }
}

/// Pages that were torn, say by a copy of a database in use, are found before anyone relies on them.
Status check_pages(const Database& db) {
  auto query = db.prepare("PRAGMA quick_check(1)");
  if (!query) return std::unexpected(query.error());
  const auto row = query->next();
  if (!row) return std::unexpected(row.error());
  if (*row && query->text(0) != "ok") return fail("database disk image is malformed: {}", query->text(0));
  return {};
}

Result<std::vector<Minute>> read_minutes(const Database& db, const std::string& uuid, int64_t from, int64_t to) {
  auto query = db.prepare(
      fmt::format("SELECT m.id, m.data FROM gpus g JOIN minutes m ON m.id >= ?2 AND m.id < ?3 AND m.id % {} = g.number "
                  "WHERE g.uuid = ?1 ORDER BY m.id",
                  kGpus));
  if (!query) return std::unexpected(query.error());
  query->bind(1, uuid);
  query->bind(2, from * kGpus);
  query->bind(3, to * kGpus);
  std::vector<Minute> minutes;
  SONDE_TRY(each_row(*query, [&](const Statement& row) {
    if (const auto minute = unpack(row.integer(0) / kGpus, row.blob(1))) minutes.push_back(*minute);
  }));
  return minutes;
}

Result<std::vector<Incident>> read_incidents(const Database& db, std::string_view uuid, bool open_only,
                                             int64_t before_id, int64_t max) {
  auto query = db.prepare(
      "SELECT data FROM incidents WHERE (?1 = '' OR gpu_uuid = ?1) AND (?2 = 0 OR cleared_ns IS NULL) AND "
      "(?3 = 0 OR id < ?3) ORDER BY id DESC LIMIT ?4");
  if (!query) return std::unexpected(query.error());
  const std::string text(uuid);  // a view of nothing would be NULL
  query->bind(1, text);
  query->bind(2, static_cast<int64_t>(open_only));
  query->bind(3, before_id);
  query->bind(4, max);
  std::vector<Incident> incidents;
  SONDE_TRY(each_row(*query, [&](const Statement& row) {
    if (auto incident = incident_of_text(row.text(0))) incidents.push_back(std::move(*incident));
  }));
  return incidents;
}

Result<std::map<int64_t, std::vector<WasteEntry>>> read_waste(const Database& db) {
  auto query = db.prepare("SELECT day, data FROM waste ORDER BY rowid");
  if (!query) return std::unexpected(query.error());
  std::map<int64_t, std::vector<WasteEntry>> days;
  SONDE_TRY(each_row(*query, [&](const Statement& row) {
    if (auto entry = waste_of_text(row.text(1))) days[row.integer(0)].push_back(std::move(*entry));
  }));
  return days;
}

Status run_with(const Database& db, const char* sql, int64_t first, int64_t second) {
  auto statement = db.prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  statement->bind(1, first);
  statement->bind(2, second);
  return statement->run();
}

}  // namespace

Status Store::prepare_tables() {
  const auto version = one_integer(db_, "PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version > kVersion) {
    return fail(
        "it was written by a newer version of sonde (schema {}, this version supports {}), so history is kept in "
        "memory "
        "only: run that version, or move the file away to start a new history",
        *version, kVersion);
  }
  SONDE_TRY(check_pages(db_));
  SONDE_TRY(db_.execute(kTables));
  if (*version < kVersion) SONDE_TRY(db_.execute(fmt::format("PRAGMA user_version = {}", kVersion)));
  return {};
}

Stores<Store> Store::open(const std::string& path) {
  auto db = Database::open_read_write(path);
  if (!db) return std::unexpected(failure_of(db.error()));
  Store store(std::move(*db));
  if (const auto done = store.prepare_tables(); !done) return std::unexpected(failure_of(done.error()));
  return store;
}

Result<int64_t> Store::gpu_number(const std::string& uuid) {
  if (const auto known = gpus_.find(uuid); known != gpus_.end()) return known->second;
  auto query = db_.prepare("SELECT number FROM gpus WHERE uuid = ?");
  if (!query) return std::unexpected(query.error());
  query->bind(1, uuid);
  const auto row = query->next();
  if (!row) return std::unexpected(row.error());
  if (*row) return gpus_[uuid] = query->integer(0);
  const auto last = one_integer(db_, "SELECT coalesce(max(number), -1) FROM gpus");
  if (!last) return std::unexpected(last.error());
  if (*last + 1 >= kGpus) return fail("it already contains {} GPUs; move it away to start a new one", kGpus);
  auto insert = db_.prepare("INSERT INTO gpus (number, uuid) VALUES (?, ?)");
  if (!insert) return std::unexpected(insert.error());
  insert->bind(1, *last + 1);
  insert->bind(2, uuid);
  SONDE_TRY(insert->run());
  return gpus_[uuid] = *last + 1;
}

Status Store::write_minutes(const Batch& batch) {
  auto insert = db_.prepare("INSERT OR REPLACE INTO minutes (id, data) VALUES (?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const GpuMinute& row : batch.minutes) {
    const auto gpu = gpu_number(row.gpu_uuid);
    if (!gpu) return std::unexpected(gpu.error());
    insert->bind(1, row.minute.minute * kGpus + *gpu);
    insert->bind_blob(2, pack(row.minute));
    SONDE_TRY(insert->run());
  }
  return {};
}

Status Store::write_incidents(const Batch& batch) {
  auto insert = db_.prepare("INSERT OR REPLACE INTO incidents (id, gpu_uuid, cleared_ns, data) VALUES (?, ?, ?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const auto& [id, incident] : batch.incidents) {
    insert->bind(1, id);
    insert->bind(2, std::string_view(incident.gpu_uuid));
    if (incident.cleared_ns) {
      insert->bind(3, *incident.cleared_ns);
    } else {
      insert->bind_null(3);
    }
    insert->bind(4, text_of(incident));
    SONDE_TRY(insert->run());
  }
  return {};
}

Status Store::write_waste(const Batch& batch) {
  auto insert = db_.prepare("INSERT INTO waste (day, data) VALUES (?, ?)");
  if (!insert) return std::unexpected(insert.error());
  for (const auto& [day, entries] : batch.waste) {
    SONDE_TRY(db_.execute(fmt::format("DELETE FROM waste WHERE day = {}", day)));
    for (const WasteEntry& entry : entries) {
      insert->bind(1, day);
      insert->bind(2, text_of(entry));
      SONDE_TRY(insert->run());
    }
  }
  return {};
}

Status Store::write_all(const Batch& batch) {
  SONDE_TRY(db_.execute("BEGIN IMMEDIATE"));
  SONDE_TRY(write_minutes(batch));
  SONDE_TRY(write_incidents(batch));
  SONDE_TRY(write_waste(batch));
  return db_.execute("COMMIT");
}

Stores<void> Store::write(const Batch& batch) {
  const Status done = write_all(batch);
  if (done) return {};
  gpus_.clear();  // numbers that were given may be undone
  const StoreFailure failure = failure_of(done.error());
  (void)db_.execute("ROLLBACK");  // fails where SQLite has done so itself
  return std::unexpected(failure);
}

Stores<std::vector<Minute>> Store::minutes(const std::string& gpu_uuid, int64_t from, int64_t to) const {
  return stores(read_minutes(db_, gpu_uuid, from, to));
}

Stores<std::vector<Incident>> Store::incidents(std::string_view gpu_uuid, bool open_only, int64_t before_id,
                                               int64_t max) const {
  return stores(read_incidents(db_, gpu_uuid, open_only, before_id, max));
}

Stores<std::map<int64_t, std::vector<WasteEntry>>> Store::waste() const { return stores(read_waste(db_)); }

Stores<void> Store::forget(int64_t before_ns) {
  const auto forget_all = [&]() -> Status {
    SONDE_TRY(run_with(db_, "DELETE FROM minutes WHERE id IN (SELECT id FROM minutes WHERE id < ? ORDER BY id LIMIT ?)",
                       before_ns / kNsPerMinute * kGpus, kForgottenAtOnce));
    SONDE_TRY(run_with(db_,
                       "DELETE FROM incidents WHERE id IN (SELECT id FROM incidents WHERE cleared_ns < ? AND "
                       "id < (SELECT max(id) FROM incidents) LIMIT ?)",
                       before_ns, kForgottenAtOnce));
    return run_with(db_, "DELETE FROM waste WHERE rowid IN (SELECT rowid FROM waste WHERE day < ? LIMIT ?)", before_ns,
                    kForgottenAtOnce);
  };
  return stores(forget_all());
}

}  // namespace sonde::monitor::history
