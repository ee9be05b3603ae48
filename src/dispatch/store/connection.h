#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace sonde::dispatch::store {

/// A prepared statement in use: parameters are bound in their order, columns read in theirs. It goes back, reset, when
/// this ends.
class Query {
 public:
  Query(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  ~Query();
  Query(Query&& other) noexcept;
  Query& operator=(Query&&) = delete;
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& bind(int64_t value);
  Query& bind(const std::optional<int64_t>& value);
  /// The text has to live until the query ends.
  Query& bind(std::string_view text);
  /// NULL where it is empty.
  Query& bind_filled(std::string_view text);

  /// Steps to the next row; false when there is none.
  [[nodiscard]] Result<bool> next();
  /// Steps to the end; for what gives no rows. Ready to be bound anew.
  [[nodiscard]] Status run();

  int64_t integer();
  std::optional<int64_t> optional_integer();
  /// Valid until the next step; empty for NULL.
  std::string_view text();

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
  int parameter_ = 0;
  int column_ = 0;
};

/// A connection to the database with its prepared statements. One thread at a time.
class Connection {
 public:
  enum class Access { read_write, read_only };
  /// `vfs`: name of SQLite's file layer; empty: the usual one.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& path, Access access,
                                                                const std::string& vfs);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() = default;

  /// Prepared once for each text. The same one is not used twice at a time.
  [[nodiscard]] Result<Query> query(std::string_view sql);
  [[nodiscard]] Status execute(const char* sql);
  /// Of one that gives one; 0 for no row.
  [[nodiscard]] Result<int64_t> number(std::string_view sql);
  /// Ends a transaction that is open without keeping it.
  void roll_back();
  [[nodiscard]] int64_t changed_rows() const;
  /// Copies what it can of the write-ahead log into the database without waiting for anybody. Nothing is lost where it
  /// fails: the log has it.
  void checkpoint();
  /// Pages that the write-ahead log has since the last commit of this connection.
  [[nodiscard]] int64_t log_pages() const { return log_pages_; }
  /// Whether the file was moved, replaced or removed: what is written is not found any more.
  [[nodiscard]] bool is_moved() const;
  /// SQLite opens a file that it may not write for reading.
  [[nodiscard]] bool is_read_only() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Connection(sqlite3* db) : db_(db) {}
  static int note_log(void* connection, sqlite3* db, const char* name, int pages);

  std::unique_ptr<sqlite3, Close> db_;
  int64_t log_pages_ = 0;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;  ///< gone before db_
};

/// What SQLite last said of this connection, and what can be done about it.
[[nodiscard]] std::unexpected<Error> failure_of(sqlite3* db);

}  // namespace sonde::dispatch::store
