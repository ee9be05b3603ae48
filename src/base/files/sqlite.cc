#include "base/files/sqlite.h"

#include <sqlite3.h>

#include <filesystem>
#include <system_error>

namespace sonde {
namespace {

/// Profiles are mapped rather than copied through a page cache; SQLite caps this at the file's size.
constexpr const char* kReadPragmas = "PRAGMA mmap_size=281474976710656; PRAGMA cache_size=-16384;";
constexpr const char* kWritePragmas = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA page_size=65536;";
/// With a write-ahead log NORMAL keeps the file whole even when the power fails; the last transactions may then be
/// gone.
constexpr const char* kSharedPragmas =
    "PRAGMA busy_timeout=2000; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=4194304;";

/// A file URI takes '?', '#' and '%' as syntax; a path may hold them as letters.
std::string file_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* stmt) const { sqlite3_finalize(stmt); }

Statement::Statement(sqlite3* db, sqlite3_stmt* stmt) : db_(db), stmt_(stmt) {}

Result<bool> Statement::next() {
  switch (sqlite3_step(stmt_.get())) {
    case SQLITE_ROW: return true;
    case SQLITE_DONE: return false;
    case SQLITE_INTERRUPT: return fail("stopped after much more work than a file of this size needs");
    default: return fail("{}", sqlite3_errmsg(db_));
  }
}

bool Statement::is_null(int column) const { return sqlite3_column_type(stmt_.get(), column) == SQLITE_NULL; }
bool Statement::is_text(int column) const { return sqlite3_column_type(stmt_.get(), column) == SQLITE_TEXT; }
bool Statement::is_integer(int column) const { return sqlite3_column_type(stmt_.get(), column) == SQLITE_INTEGER; }
int64_t Statement::integer(int column) const { return sqlite3_column_int64(stmt_.get(), column); }
double Statement::real(int column) const { return sqlite3_column_double(stmt_.get(), column); }

std::string_view Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(stmt_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), column))};
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(stmt_.get(), column));
  if (bytes == nullptr) return {};
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(stmt_.get(), column))};
}

void Statement::bind(int parameter, int64_t value) { sqlite3_bind_int64(stmt_.get(), parameter, value); }
void Statement::bind(int parameter, double value) { sqlite3_bind_double(stmt_.get(), parameter, value); }
void Statement::bind(int parameter, std::string_view value) {
  sqlite3_bind_text(stmt_.get(), parameter, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}
void Statement::bind_blob(int parameter, std::string_view bytes) {
  sqlite3_bind_blob(stmt_.get(), parameter, bytes.data(), static_cast<int>(bytes.size()), SQLITE_TRANSIENT);
}
void Statement::bind_null(int parameter) { sqlite3_bind_null(stmt_.get(), parameter); }

Status Statement::run() {
  const int code = sqlite3_step(stmt_.get());
  sqlite3_reset(stmt_.get());
  if (code != SQLITE_DONE) return fail("{}", sqlite3_errmsg(db_));
  return {};
}

void Database::Close::operator()(sqlite3* db) const { sqlite3_close(db); }

Database::Database(sqlite3* db) : db_(db) {}

Result<Database> Database::open(const std::string& path, const std::string& uri, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(uri.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  Database db(raw);
  if (code != SQLITE_OK)
    return fail("cannot open {}: {}", path, raw != nullptr ? sqlite3_errmsg(raw) : "out of memory");
  return db;
}

Result<Database> Database::open_read_only(const std::string& path) {
  auto db = open(path, file_uri(path), SQLITE_OPEN_READONLY);
  if (!db) return db;
  db->limit_work(path);
  SONDE_TRY(db->execute(kReadPragmas));
  return db;
}

void Database::limit_work(const std::string& path) {
  // A row takes some 100 instructions of SQLite's machine and no less than 10 bytes, and is read a few times.
  constexpr int64_t kInstructionsPerCall = 1000;
  constexpr int64_t kInstructionsPerByte = 200;
  constexpr int64_t kLeast = 20'000'000;
  std::error_code error;
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(path, error));
  work_left_ = std::make_unique<int64_t>((kLeast + (error ? 0 : bytes) * kInstructionsPerByte) / kInstructionsPerCall);
  const auto is_spent = [](void* left) { return --*static_cast<int64_t*>(left) < 0 ? 1 : 0; };
  sqlite3_progress_handler(db_.get(), kInstructionsPerCall, is_spent, work_left_.get());
}

Result<Database> Database::create(const std::string& path) {
  auto db = open(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (db) SONDE_TRY(db->execute(kWritePragmas));
  return db;
}

Result<Database> Database::open_read_write(const std::string& path) {
  auto db = open(path, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (db) SONDE_TRY(db->execute(kSharedPragmas));
  return db;
}

Result<Statement> Database::prepare(const std::string& sql) const {
  sqlite3_stmt* stmt = nullptr;
  if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &stmt, nullptr) != SQLITE_OK) {
    return fail("{}", sqlite3_errmsg(db_.get()));
  }
  return Statement(db_.get(), stmt);
}

Status Database::execute(const std::string& sql) const {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return fail("{}", sqlite3_errmsg(db_.get()));
  }
  return {};
}

Result<std::vector<std::string>> Database::tables() const {
  auto query = prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
  if (!query) return std::unexpected(query.error());
  std::vector<std::string> names;
  for (;;) {
    const auto row = query->next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return names;
    names.emplace_back(query->text(0));
  }
}

Result<std::vector<std::string>> Database::columns(std::string_view table) const {
  auto query = prepare("SELECT name FROM pragma_table_info(?)");
  if (!query) return std::unexpected(query.error());
  query->bind(1, table);
  std::vector<std::string> names;
  for (;;) {
    const auto row = query->next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return names;
    names.emplace_back(query->text(0));
  }
}

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace sonde
