#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "importers/nsys/run.h"
#include "importers/nsys_sqlite/scan.h"

namespace sonde {

/// What the profilers that write SQLite name differently.
struct SqliteDialect {
  std::string_view format = "nsys_sqlite";  ///< the importer's name
  std::string_view strings = "StringIds";   ///< the table of texts, and its columns
  std::string_view string_id = "id";
  std::string_view string_value = "value";
};

/// One SQLite export while it is being read.
class NsysFile : public NsysRun {
 public:
  [[nodiscard]] static Result<NsysFile> open(const std::string& path, const ImportRequest& request, Trace& trace,
                                             const SqliteDialect& dialect = {});

  [[nodiscard]] const Database& database() const { return database_; }
  [[nodiscard]] bool has_table(std::string_view table) const { return tables_.contains(table); }
  [[nodiscard]] bool has_rows(std::string_view table) const;
  [[nodiscard]] const std::map<std::string, std::vector<std::string>, std::less<>>& tables() const { return tables_; }
  [[nodiscard]] TableQuery query(std::string_view table) const;

  /// The earliest time above 0 in these columns, whatever of them is wanted: where the clock of the file begins.
  struct TimeColumn {
    std::string_view table;
    std::string_view column;
  };
  [[nodiscard]] std::optional<int64_t> first_time(std::span<const TimeColumn> columns) const;
  /// Moves the rows of the file, which begin at `first`, so that its first_time() is 0, and keeps that time as the
  /// rank's UTC where it is one.
  void begin_at_zero(const std::vector<size_t>& first, std::span<const TimeColumn> columns);

  /// Reads a table from its pages, in as many parts as there are workers; parts come back in the order of the file. A
  /// table whose pages do not tell it all (a view, say) is read by SQL. `row(reader, part)` appends one row, whatever
  /// the reader's type is. Damage and wrong types go to the import log.
  template <typename PartT, typename Row>
  [[nodiscard]] std::vector<PartT> scan(const TableQuery& query, Row&& row);

  /// scan(), adopt() and append(): what a table without peculiarities needs.
  template <typename Table, typename Row>
  void read_table(const TableQuery& query, Table& table, std::initializer_list<Ids Table::*> name_columns, Row&& row);

  /// A whole small table by one statement, in file order.
  template <typename Row>
  void each_row(const TableQuery& query, Row&& row);

  /// NsysRun::resolve_names() with the dialect's table of texts.
  void resolve_names();

 private:
  NsysFile(Database database, MappedFile bytes, const std::string& path, const ImportRequest& request, Trace& trace,
           const SqliteDialect& dialect);
  /// Where the pages of a table are, and which of its columns is the rowid.
  struct Place {
    std::vector<uint32_t> leaves;
    std::optional<uint32_t> rowid_column;
  };
  /// Absent when only SQL can read the table.
  [[nodiscard]] std::optional<Place> place_of(const TableQuery& query);
  void note(const TableQuery& query, const ScanEnd& end);

  SqliteDialect dialect_;
  Database database_;
  MappedFile bytes_;
  std::optional<SqlitePages> pages_;
  std::map<std::string, std::vector<std::string>, std::less<>> tables_;
};

/// Leaf pages below which a second thread costs more than it saves: a page is read in some 10 us.
inline constexpr size_t kLeavesWorthAThread = 64;

template <typename PartT, typename Row>
std::vector<PartT> NsysFile::scan(const TableQuery& query, Row&& row) {
  const auto place = place_of(query);
  if (!place) {
    std::vector<PartT> whole(1);
    each_row(query, [&](auto& reader) { row(reader, whole.front()); });
    return whole;
  }
  const std::span leaves(place->leaves);
  const size_t count = std::clamp(leaves.size() / kLeavesWorthAThread, size_t{1}, worker_count());
  std::vector<PartT> parts(count);
  progress().begin(fmt::format("reading {}, {}", file(), query.table()),
                   static_cast<int64_t>(leaves.size() * pages_->page_bytes()), "bytes");
  std::vector<ScanEnd> ends(count);
  parallel_for(count, [&](size_t i) {
    const size_t first = leaves.size() * i / count;
    const size_t end = leaves.size() * (i + 1) / count;
    const auto mine = leaves.subspan(first, end - first);
    const auto read = [&](auto& reader) { row(reader, parts[i]); };
    const SqliteRow source(query.selected(), place->rowid_column);
    ends[i] = scan_leaves(*pages_, mine.first(std::min<size_t>(1, mine.size())), source, progress(), read);
    // One leaf tells how long the columns will be: growing them step by step would copy them as often. The first part
    // takes the others in.
    reserve_rows(parts[i].rows, row_count(parts[i].rows) * (i == 0 ? leaves.size() : mine.size()));
    ends[i] += scan_leaves(*pages_, mine.subspan(std::min<size_t>(1, mine.size())), source, progress(), read);
  });
  for (const ScanEnd& end : ends) note(query, end);
  return parts;
}

template <typename Row>
void NsysFile::each_row(const TableQuery& query, Row&& row) {
  auto statement = database_.prepare(query.sql());
  if (!statement) {
    note(query, {0, 0, statement.error().message});
    return;
  }
  note(query, scan_statement(*statement, row));
}

template <typename Table, typename Row>
void NsysFile::read_table(const TableQuery& query, Table& table, std::initializer_list<Ids Table::*> name_columns,
                          Row&& row) {
  for (Part<Table>& part : scan<Part<Table>>(query, row)) {
    const IdMap keys = adopt(part);
    append(std::move(part.rows), keys, table, name_columns);
  }
}

}  // namespace sonde
