#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/sqlite.h"
#include "base/files/sqlite_pages.h"
#include "base/progress.h"
#include "base/system/parallel.h"
#include "importers/nsys/ids.h"
#include "trace/ids.h"
#include "trace/import_log.h"

/// Reading tables of an Nsight Systems SQLite export by column name: a column that a version does not have is absent.
namespace sonde {

/// A column to be read: where it is in the SELECT, and whether anybody wants it.
struct Cell {
  int position = -1;  ///< -1: wanted, but the table has no such column
  bool wanted = true;
};

/// The columns of one table that a reader asks for.
class TableQuery {
 public:
  /// `columns`: all columns of the table, in its order; null where there is no such table.
  TableQuery(std::string table, const std::vector<std::string>* columns);

  [[nodiscard]] bool exists() const { return columns_ != nullptr; }
  [[nodiscard]] const std::string& table() const { return table_; }
  /// The column of the first of these names that the table has.
  Cell column(std::initializer_list<std::string_view> names);
  Cell column(std::string_view name) { return column({name}); }
  /// The same, read only when `wanted`.
  Cell column_if(bool wanted, std::string_view name) { return wanted ? column({name}) : Cell{-1, false}; }
  void order_by(std::string_view clause) { tail_ = clause; }

  /// Has an order of its own, so that only SQL can answer it.
  [[nodiscard]] bool is_ordered() const { return !tail_.empty(); }
  /// The numbers of the wanted columns in the table: cell positions are indexes of this list.
  [[nodiscard]] const std::vector<uint32_t>& selected() const { return selected_; }
  [[nodiscard]] std::string sql() const;

 private:
  std::string table_;
  const std::vector<std::string>* columns_;
  std::vector<uint32_t> selected_;
  std::string tail_;
};

/// One row of a table, and the counts of what was wrong in it. `Source` is a Statement or a SqliteRow.
template <typename Source>
class RowReaderOf {
 public:
  explicit RowReaderOf(Source& source) : source_(source) {}

  /// Null, a missing column and a value of another type are `absent`.
  [[nodiscard]] int64_t integer(Cell cell, int64_t absent) {
    if (cell.position < 0) return absent;
    const int64_t value = source_.integer(cell.position);
    return value != 0 ? value : zero_or_absent(cell, absent);
  }
  [[nodiscard]] double real(Cell cell, double absent) {
    return cell.position < 0 || source_.is_null(cell.position) ? absent : source_.real(cell.position);
  }
  [[nodiscard]] std::string_view text(Cell cell) {
    return cell.position < 0 ? std::string_view() : source_.text(cell.position);
  }
  [[nodiscard]] bool is_null(Cell cell) { return cell.position < 0 || source_.is_null(cell.position); }

  /// Appends the cell to a column, `absent` where it is null or does not fit; nothing when nobody wants it.
  template <typename T>
  void put(Cell cell, std::vector<T>& column, T absent) {
    if (!cell.wanted) return;
    const int64_t value = integer(cell, kUnknown);
    column.push_back(value != kUnknown && std::in_range<T>(value) ? static_cast<T>(value) : absent);
  }
  /// Appends an id of the file's string table, kNone where there is none.
  void put_name(Cell cell, std::vector<uint32_t>& column) {
    if (cell.wanted) column.push_back(string_id(cell));
  }
  [[nodiscard]] uint32_t string_id(Cell cell) {
    const int64_t id = integer(cell, -1);
    return id >= 0 && id < int64_t{kInlineText} ? static_cast<uint32_t>(id) : kNone;
  }

  /// Values that had another type than their column's.
  [[nodiscard]] int64_t wrong_types() const { return wrong_types_; }

 private:
  int64_t zero_or_absent(Cell cell, int64_t absent) {
    if (source_.is_null(cell.position)) return absent;
    if (!source_.is_text(cell.position)) return 0;
    ++wrong_types_;
    return absent;
  }
  Source& source_;
  int64_t wrong_types_ = 0;
};

using RowReader = RowReaderOf<Statement>;

/// How a scan ended: what to count in the import log.
struct ScanEnd {
  int64_t wrong_types = 0;
  int64_t rows = 0;
  std::string damage;  ///< SQLite's words where the table could not be read to its end

  ScanEnd& operator+=(const ScanEnd& next) {
    wrong_types += next.wrong_types;
    rows += next.rows;
    if (damage.empty()) damage = next.damage;
    return *this;
  }
};

/// Runs over the rows of one statement. A damaged table ends the scan early, and `damage` says so.
template <typename Row>
[[nodiscard]] ScanEnd scan_statement(Statement& statement, Row&& row) {
  RowReaderOf<Statement> reader(statement);
  ScanEnd end;
  for (;;) {
    const auto next = statement.next();
    if (!next) end.damage = next.error().message;
    if (!next || !*next) break;
    row(reader);
    ++end.rows;
  }
  end.wrong_types = reader.wrong_types();
  return end;
}

/// The same over leaf pages of a table; progress is reported in bytes.
template <typename Row>
[[nodiscard]] ScanEnd scan_leaves(const SqlitePages& pages, std::span<const uint32_t> leaves, SqliteRow source,
                                  Progress& progress, Row&& row) {
  RowReaderOf<SqliteRow> reader(source);
  ScanEnd end;
  for (const uint32_t leaf : leaves) {
    const Status read = pages.each_row(leaf, source, [&](const SqliteRow&) {
      row(reader);
      ++end.rows;
    });
    if (!read && end.damage.empty()) end.damage = read.error().message;
    progress.advance(static_cast<int64_t>(pages.page_bytes()));
  }
  end.wrong_types = reader.wrong_types();
  return end;
}

}  // namespace sonde
