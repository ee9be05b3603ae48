#include "dispatch/store/connection.h"

#include <sqlite3.h>

#include <array>
#include <utility>

namespace sonde::dispatch::store {
namespace {

/// What to do about SQLite's primary result codes, by which people can help.
struct Hint {
  int code;
  std::string_view text;
};
constexpr auto kHints = std::to_array<Hint>({
    {SQLITE_FULL, "free space on its disk"},
    {SQLITE_READONLY, "make the file and its folder writable for the service"},
    {SQLITE_PERM, "make the file and its folder writable for the service"},
    {SQLITE_CANTOPEN, "make the file and its folder writable for the service"},
    {SQLITE_BUSY, "another program has locked it: end that program's transaction"},
    {SQLITE_LOCKED, "another program has locked it: end that program's transaction"},
    {SQLITE_IOERR, "check the kernel log (dmesg) for disk errors, and whether the disk is full"},
    {SQLITE_CORRUPT,
     "stop the service, copy the file, and recover readable data with `sqlite3 tasks.db .recover`, or restore a "
     "backup"},
    {SQLITE_NOTADB, "another program overwrote it: restore a backup, or move it away to start with an empty database"},
});

std::string_view hint_of(int code) {
  for (const Hint& hint : kHints) {
    if (hint.code == (code & 0xFF)) return hint.text;
  }
  return {};
}

/// How long a lock of another program (somebody's `sqlite3` with an open transaction) is waited for.
constexpr int kBusyMs = 500;

}  // namespace

std::unexpected<Error> failure_of(sqlite3* db) {
  const std::string_view hint = hint_of(sqlite3_errcode(db));
  if (hint.empty()) return fail("{}", sqlite3_errmsg(db));
  return fail("{} ({})", sqlite3_errmsg(db), hint);
}

Query::~Query() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Query::Query(Query&& other) noexcept
    : db_(other.db_),
      statement_(std::exchange(other.statement_, nullptr)),
      parameter_(other.parameter_),
      column_(other.column_) {}

Query& Query::bind(int64_t value) {
  sqlite3_bind_int64(statement_, ++parameter_, value);
  return *this;
}

Query& Query::bind(const std::optional<int64_t>& value) {
  if (value) return bind(*value);
  sqlite3_bind_null(statement_, ++parameter_);
  return *this;
}

Query& Query::bind(std::string_view text) {
  const char* const data = text.data() == nullptr ? "" : text.data();  // nothing would be NULL
  sqlite3_bind_text64(statement_, ++parameter_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  return *this;
}

Query& Query::bind_filled(std::string_view text) { return text.empty() ? bind(std::optional<int64_t>()) : bind(text); }

Result<bool> Query::next() {
  column_ = 0;
  switch (sqlite3_step(statement_)) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    default: return failure_of(db_);
  }
}

Status Query::run() {
  const auto row = next();
  parameter_ = 0;
  if (!row) return std::unexpected(row.error());
  sqlite3_reset(statement_);
  return {};
}

int64_t Query::integer() { return sqlite3_column_int64(statement_, column_++); }

std::optional<int64_t> Query::optional_integer() {
  if (sqlite3_column_type(statement_, column_) != SQLITE_NULL) return integer();
  ++column_;
  return std::nullopt;
}

std::string_view Query::text() {
  const int column = column_++;
  const auto* const data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (data == nullptr) return {};
  return {data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

void Connection::Close::operator()(sqlite3* db) const { sqlite3_close(db); }
void Connection::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Access access, const std::string& vfs) {
  const int flags = access == Access::read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  sqlite3* db = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                                   vfs.empty() ? nullptr : vfs.c_str());
  std::unique_ptr<Connection> connection(new Connection(db));  // its constructor is private
  if (db == nullptr) return fail("out of memory");
  if (code != SQLITE_OK) return failure_of(db);
  sqlite3_busy_timeout(db, kBusyMs);
  sqlite3_wal_hook(db, note_log, connection.get());  // instead of checkpoints within a COMMIT
  return connection;
}

Result<Query> Connection::query(std::string_view sql) {
  auto at = statements_.find(sql);
  if (at == statements_.end()) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v3(db_.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &made,
                           nullptr) != SQLITE_OK) {
      return failure_of(db_.get());
    }
    at = statements_.try_emplace(std::string(sql)).first;
    at->second.reset(made);
  }
  return Query(db_.get(), at->second.get());
}

Status Connection::execute(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure_of(db_.get());
  return {};
}

Result<int64_t> Connection::number(std::string_view sql) {
  auto found = query(sql);
  if (!found) return std::unexpected(found.error());
  const auto row = found->next();
  if (!row) return std::unexpected(row.error());
  return *row ? found->integer() : 0;
}

void Connection::roll_back() {
  if (sqlite3_get_autocommit(db_.get()) == 0) (void)execute("ROLLBACK");
}

int Connection::note_log(void* connection, sqlite3*, const char*, int pages) {
  static_cast<Connection*>(connection)->log_pages_ = pages;
  return SQLITE_OK;
}

void Connection::checkpoint() {
  sqlite3_wal_checkpoint_v2(db_.get(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

bool Connection::is_moved() const {
  int moved = 0;
  const int code = sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

bool Connection::is_read_only() const { return sqlite3_db_readonly(db_.get(), "main") != 0; }

int64_t Connection::changed_rows() const { return sqlite3_changes64(db_.get()); }

}  // namespace sonde::dispatch::store
