#include "dispatch/store/schema.h"

#include <array>

#include <fmt/format.h>

namespace sonde::dispatch::store {
namespace {

/// docs/serve/tasks_db.md describes them. Texts that are JSON say so there. What is submitted never changes and can be
/// large, so it stands in a table of its own that is written once.
constexpr const char* kVersion1 = R"(
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY, state TEXT NOT NULL, cause TEXT NOT NULL, reason TEXT NOT NULL, name TEXT NOT NULL,
  type TEXT NOT NULL, priority TEXT NOT NULL, submitted_by TEXT NOT NULL, idempotency_key TEXT, batch INTEGER,
  submitted_ns INTEGER NOT NULL, ready_ns INTEGER NOT NULL, started_ns INTEGER, ended_ns INTEGER, detail TEXT NOT NULL);
CREATE INDEX tasks_by_state ON tasks (state);
CREATE INDEX tasks_by_type ON tasks (type);
CREATE INDEX tasks_by_key ON tasks (submitted_by, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_by_batch ON tasks (batch) WHERE batch IS NOT NULL;
CREATE INDEX tasks_by_end ON tasks (ended_ns) WHERE ended_ns IS NOT NULL;
CREATE TABLE specs (task INTEGER PRIMARY KEY, after_tasks TEXT, spec TEXT NOT NULL);
CREATE TABLE batches (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, submitted_by TEXT NOT NULL, idempotency_key TEXT,
  submitted_ns INTEGER NOT NULL, detail TEXT NOT NULL);
CREATE INDEX batches_by_key ON batches (submitted_by, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE TABLE decisions (
  task INTEGER NOT NULL, attempt INTEGER NOT NULL, moment_ns INTEGER NOT NULL, strategy TEXT NOT NULL,
  detail TEXT NOT NULL, PRIMARY KEY (task, attempt));
CREATE TABLE profiles (
  task INTEGER NOT NULL, attempt INTEGER NOT NULL, moment_ns INTEGER NOT NULL, why TEXT NOT NULL, state TEXT NOT NULL,
  file TEXT NOT NULL, findings TEXT NOT NULL, trouble TEXT NOT NULL, PRIMARY KEY (task, attempt));
CREATE INDEX profiles_by_moment ON profiles (moment_ns);
CREATE TABLE last_ids (what TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
)";

/// Each takes the database from the version of its place (0: empty) to the next one. Never change one: add another.
constexpr std::array<const char*, 1> kSteps = {kVersion1};
constexpr auto kVersion = static_cast<int64_t>(kSteps.size());

/// Pages that were torn, say by a copy of a database in use, are found before anyone relies on them.
Status check_pages(Connection& db) {
  auto query = db.query("PRAGMA quick_check(1)");
  if (!query) return std::unexpected(query.error());
  const auto row = query->next();
  if (!row) return std::unexpected(row.error());
  const std::string_view said = *row ? query->text() : "ok";
  if (said == "ok") return {};
  return fail(
      "it is damaged: {} (stop the service, copy the file, and recover readable data with `sqlite3 tasks.db .recover`, "
      "or restore a backup)",
      said);
}

Status bring_up(Connection& db, int64_t version) {
  SONDE_TRY(db.execute("BEGIN IMMEDIATE"));
  for (auto step = static_cast<size_t>(version); step < kSteps.size(); ++step) SONDE_TRY(db.execute(kSteps.at(step)));
  SONDE_TRY(db.execute(fmt::format("PRAGMA user_version = {}", kVersion).c_str()));
  return db.execute("COMMIT");
}

}  // namespace

Status prepare_tables(Connection& db) {
  const auto version = db.number("PRAGMA user_version");
  if (!version) return std::unexpected(version.error());
  if (*version > kVersion) {
    return fail(
        "it was written by a newer version of sonde (schema {}, this version supports {}): run that version, or move "
        "the file away to start without its tasks",
        *version, kVersion);
  }
  const auto tables = db.number("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*version == 0 && *tables != 0) return fail("it is the database of another program: move it away");
  SONDE_TRY(check_pages(db));
  if (*version == kVersion) return {};
  const Status done = bring_up(db, *version);
  db.roll_back();
  return done;
}

}  // namespace sonde::dispatch::store
