#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::ncu_csv {

enum class Column {
#define SONDE_NCU_COLUMN(id, header) id,
#include "importers/ncu_csv/columns.inc"
#undef SONDE_NCU_COLUMN
  count_
};

using Record = std::vector<std::string>;

/// A metric's column of the raw page.
struct WideColumn {
  size_t index;
  std::string name;
};

/// Where the columns of one table are. `ncu --csv` has two shapes: a row for each metric or rule of a kernel, and (raw
/// page) a row for each kernel with a column for each metric, below a row of units.
class Header {
 public:
  explicit Header(const Record& record);

  /// Whether a record is the header of such a table.
  [[nodiscard]] static bool is_one(const Record& record);

  [[nodiscard]] bool is_wide() const { return !has(Column::metric); }
  [[nodiscard]] bool has(Column column) const { return at(column) != kAbsent; }
  /// The field; empty where the table or the record has none.
  [[nodiscard]] std::string_view field(const Record& record, Column column) const;
  [[nodiscard]] const std::vector<WideColumn>& metrics() const { return metrics_; }
  /// Fields that a record has at least, when it is whole.
  [[nodiscard]] size_t least_fields() const { return least_fields_; }

 private:
  static constexpr size_t kAbsent = static_cast<size_t>(-1);
  [[nodiscard]] size_t at(Column column) const { return index_[static_cast<size_t>(column)]; }

  std::array<size_t, static_cast<size_t>(Column::count_)> index_{};
  std::vector<WideColumn> metrics_;
  size_t least_fields_ = 0;
};

}  // namespace sonde::ncu_csv
