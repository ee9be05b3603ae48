#pragma once

#include <string>
#include <string_view>

#include "analyses/tables/table.h"

namespace sonde {

/// Tables of one report over the parts of a run, one below the other: their first column names the part.
class StackedTable {
 public:
  explicit StackedTable(std::string column) : column_(std::move(column)) {}

  /// Adds the rows of a part. Columns belong together by name, unit and type; a part without one has absent cells. What
  /// the texts of `table` point to is not needed any more.
  void add(std::string_view part, const Table& table);
  [[nodiscard]] const Table& table() const { return table_; }

 private:
  [[nodiscard]] Column* find_like(const Column& column);
  void add_column_like(const Column& column, size_t rows);

  std::string column_;
  Table table_;
};

}  // namespace sonde
