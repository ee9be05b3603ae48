#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/error.h"
#include "base/files/sqlite.h"
#include "base/progress.h"
#include "exporters/nsys/global_ids.h"
#include "trace/columns.h"
#include "trace/trace.h"

/// How one event table of the model becomes one SQL table: a list of columns, each with its SQL type and a function
/// that gives its value in a row. Columns that Nsight declares NOT NULL and other recorders do not always know (return
/// values, shared memory, bytes) may be NULL here: 0 would be a lie, and readers by name do not mind.
namespace sonde::nsys_export {

/// A value of a row. Absent values of the model (kUnknown, kUnknown32, kNone, NaN) are NULL.
struct Cell {
  enum class Kind : uint8_t { null, integer, real, text, blob };
  Kind kind = Kind::null;
  int64_t integer = 0;
  double real = 0;
  std::string_view text;

  Cell() = default;
  // NOLINTBEGIN(google-explicit-constructor): columns give plain values.
  Cell(int64_t v) : kind(v == kUnknown ? Kind::null : Kind::integer), integer(v) {}
  Cell(int32_t v) : kind(v == kUnknown32 ? Kind::null : Kind::integer), integer(v) {}
  Cell(uint32_t v) : kind(v == kNone ? Kind::null : Kind::integer), integer(v) {}
  Cell(double v) : kind(std::isnan(v) ? Kind::null : Kind::real), real(v) {}
  Cell(std::string_view v) : kind(v.data() == nullptr ? Kind::null : Kind::text), text(v) {}
  Cell(const std::string& v) : Cell(std::string_view(v)) {}
  template <typename T>
  Cell(const std::optional<T>& v) : Cell(v ? Cell(*v) : Cell()) {}
  // NOLINTEND(google-explicit-constructor)
  [[nodiscard]] static Cell of_bytes(std::string_view bytes) {
    Cell cell(bytes);
    cell.kind = Kind::blob;
    return cell;
  }

  /// For a NOT NULL column.
  [[nodiscard]] Cell otherwise(int64_t fallback) const { return kind == Kind::null ? Cell(fallback) : *this; }
};

/// What cells need beside their row.
struct Context {
  const Trace& trace;
  GlobalIds ids;
  std::vector<int64_t> domain_ids;  ///< NVTX's number of each Trace::domains
  std::vector<int64_t> gpu_ids;     ///< TARGET_INFO_GPU.id of each Trace::devices
  int64_t empty_string;             ///< StringIds.id of the empty text
  int64_t samples_before;           ///< rows of COMPOSITE_EVENTS that other traces wrote
};

/// NULL in every row when `value` is null. Scratch text of a value lives until the next call on the same thread.
template <typename Source>
struct ColumnOf {
  std::string_view name;
  std::string_view type;
  Cell (*value)(const Context& context, const Source& source, size_t row) = nullptr;
};

inline constexpr std::string_view kInteger = "INTEGER";
inline constexpr std::string_view kIntegerSet = "INTEGER NOT NULL";
inline constexpr std::string_view kIntegerKey = "INTEGER NOT NULL PRIMARY KEY";
inline constexpr std::string_view kText = "TEXT";
inline constexpr std::string_view kTextSet = "TEXT NOT NULL";
inline constexpr std::string_view kReal = "REAL";

/// What Nsight writes where an id of a NOT NULL column has no value.
inline constexpr int64_t kNoId = 4294967295;

/// One SQL table being filled. It is made when its first row comes, as Nsight's lazy exports do.
class TableWriter {
 public:
  TableWriter(Database& db, std::string_view table, std::string definition, std::vector<std::string_view> columns);

  [[nodiscard]] Status begin_row();
  void put(size_t column, const Cell& cell);
  [[nodiscard]] Status end_row() { return insert_->run(); }

 private:
  Database& db_;
  std::string_view table_;
  std::string definition_;
  std::vector<std::string_view> columns_;
  std::optional<Statement> insert_;
};

/// Where tables are written to, and what of them is there already.
struct Output {
  Database db;
  Progress* progress;
  int64_t samples = 0;                                     ///< rows of COMPOSITE_EVENTS
  boost::unordered_flat_set<uint64_t> domains = {};        ///< process << 32 | NVTX's number
  boost::unordered_flat_set<uint32_t> api_chains = {};     ///< ChainId
  boost::unordered_flat_set<uint32_t> os_chains = {};      ///< ChainId
  boost::unordered_flat_set<uint32_t> python_chains = {};  ///< ChainId
};

/// Rows between two reports of progress.
inline constexpr int64_t kProgressRows = 16384;

struct Target {
  std::string_view table;
  std::string_view key = {};                 ///< columns of a primary key of more than one column
  std::string_view definition = {};          ///< of a table that several sources fill; else made from the columns
  Target(const char* name) : table(name) {}  // NOLINT(google-explicit-constructor): most tables are only a name.
  Target(std::string_view name, std::string_view k, std::string_view d = {}) : table(name), key(k), definition(d) {}
};

template <typename Source>
[[nodiscard]] TableWriter table_writer(Output& out, const Target& target, std::span<const ColumnOf<Source>> columns) {
  std::string definition;
  std::vector<std::string_view> filled;
  for (const auto& c : columns) {
    definition += fmt::format("{}{} {}", definition.empty() ? "" : ", ", c.name, c.type);
    if (c.value != nullptr) filled.push_back(c.name);
  }
  if (!target.key.empty()) definition += fmt::format(", PRIMARY KEY ({})", target.key);
  if (!target.definition.empty()) definition = target.definition;
  return {out.db, target.table, std::move(definition), std::move(filled)};
}

template <typename Source>
[[nodiscard]] Status write_row(TableWriter& writer, std::span<const ColumnOf<Source>> columns, const Context& context,
                               const Source& source, size_t row) {
  SONDE_TRY(writer.begin_row());
  size_t filled = 0;
  for (const auto& c : columns) {
    if (c.value != nullptr) writer.put(filled++, c.value(context, source, row));
  }
  return writer.end_row();
}

/// Writes those of `rows` rows that `keep` takes.
template <typename Source, typename Keep>
[[nodiscard]] Status write_rows(Output& out, const Target& target, std::span<const ColumnOf<Source>> columns,
                                const Context& context, const Source& source, size_t rows, Keep keep) {
  TableWriter writer = table_writer(out, target, columns);
  int64_t unreported = 0;
  for (size_t row = 0; row < rows; ++row) {
    if (!keep(row)) continue;
    SONDE_TRY(write_row(writer, columns, context, source, row));
    if (++unreported == kProgressRows) out.progress->advance(std::exchange(unreported, 0));
  }
  out.progress->advance(unreported);
  return {};
}

template <typename Source>
[[nodiscard]] Status write_rows(Output& out, const Target& target, std::span<const ColumnOf<Source>> columns,
                                const Context& context, const Source& source, size_t rows) {
  return write_rows(out, target, columns, context, source, rows, [](size_t) { return true; });
}

/// The value of a column in a row; NULL when the column was not read.
template <typename T>
[[nodiscard]] Cell cell(const std::vector<T>& column, size_t row) {
  return column.empty() ? Cell() : Cell(column[row]);
}

inline constexpr uint8_t kNoCode = 255;

[[nodiscard]] inline Cell code(const Codes& column, size_t row) {
  return column.empty() || column[row] == kNoCode ? Cell() : Cell(int64_t{column[row]});
}

/// The id of a text in StringIds, the empty text where there is none.
[[nodiscard]] inline Cell text_id(const Context& context, const Ids& column, size_t row) {
  return cell(column, row).otherwise(context.empty_string);
}

template <auto member, typename Table>
Cell plain(const Context&, const Table& table, size_t row) {
  return cell(table.*member, row);
}

template <auto member, typename Table>
Cell code_of(const Context&, const Table& table, size_t row) {
  return code(table.*member, row);
}

template <typename Table>
Cell start_of(const Context&, const Table& table, size_t row) {
  return table.start[row];
}

template <typename Table>
Cell end_of(const Context&, const Table& table, size_t row) {
  return cell(table.end, row).otherwise(table.start[row]);
}

template <typename Table>
Cell thread_of(const Context& c, const Table& table, size_t row) {
  return table.thread.empty() ? Cell() : Cell(c.ids.thread(table.thread[row]));
}

template <typename Table>
Cell process_of(const Context& c, const Table& table, size_t row) {
  return Cell(c.ids.process(table.process[row])).otherwise(0);
}

template <typename Table>
Cell name_of(const Context& c, const Table& table, size_t row) {
  return text_id(c, table.name, row);
}

}  // namespace sonde::nsys_export
