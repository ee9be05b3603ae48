#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sonde {

/// One prepared statement. Columns are numbered from 0 as SQLite numbers them, parameters from 1.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* stmt);

  /// Steps to the next row. False when there is none.
  [[nodiscard]] Result<bool> next();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] bool is_text(int column) const;
  [[nodiscard]] bool is_integer(int column) const;
  [[nodiscard]] int64_t integer(int column) const;
  [[nodiscard]] double real(int column) const;
  /// Valid until the next step.
  [[nodiscard]] std::string_view text(int column) const;
  /// The bytes of a blob. Valid until the next step.
  [[nodiscard]] std::string_view blob(int column) const;

  void bind(int parameter, int64_t value);
  void bind(int parameter, double value);
  void bind(int parameter, std::string_view value);
  void bind_blob(int parameter, std::string_view bytes);
  void bind_null(int parameter);

  /// Runs an INSERT once with the bound values and makes it ready for the next.
  [[nodiscard]] Status run();

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* stmt) const;
  };
  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> stmt_;
};

/// A SQLite database. Profiles are opened read-only and immutable: nothing, not even a journal, is written beside them.
class Database {
 public:
  /// A statement fails once all statements together did far more work than reading a file of this size can take: a view
  /// of a hostile file may have rows without end.
  [[nodiscard]] static Result<Database> open_read_only(const std::string& path);
  /// A new file for bulk writing (no journal, no sync: a half-written file is deleted by the caller, never used).
  [[nodiscard]] static Result<Database> create(const std::string& path);
  /// A database that is read and written for long, made where it is missing. What a statement or transaction wrote
  /// survives the end of the process (write-ahead log). Waits two seconds at most for another process's lock.
  [[nodiscard]] static Result<Database> open_read_write(const std::string& path);

  [[nodiscard]] Result<Statement> prepare(const std::string& sql) const;
  [[nodiscard]] Status execute(const std::string& sql) const;

  [[nodiscard]] Result<std::vector<std::string>> tables() const;
  /// Column names in the order of the table, empty where there is no such table.
  [[nodiscard]] Result<std::vector<std::string>> columns(std::string_view table) const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  explicit Database(sqlite3* db);
  [[nodiscard]] static Result<Database> open(const std::string& path, const std::string& uri, int flags);
  void limit_work(const std::string& path);
  std::unique_ptr<int64_t> work_left_;  ///< in calls of SQLite's progress handler, which db_ makes
  std::unique_ptr<sqlite3, Close> db_;
};

/// `name` as an SQL identifier: in double quotes, those inside doubled.
[[nodiscard]] std::string quote_identifier(std::string_view name);

}  // namespace sonde
