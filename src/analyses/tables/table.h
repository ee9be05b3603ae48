#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trace/ids.h"

namespace sonde {

/// What a column's numbers are counted in. Renderers turn it into the words of the header.
enum class Unit {
  none,
  nanoseconds,
  bytes,
  megabytes,
  percent,
  megabytes_per_second,
  gigabytes_per_second,
  gigaflop_per_second,
  flop_per_byte,
};

/// One typed column. Absent values are kUnknown, NaN, or a text without data (`std::string_view()`).
struct Column {
  using Integers = std::vector<int64_t>;
  using Reals = std::vector<double>;
  using Texts = std::vector<std::string_view>;

  std::string name;  ///< without unit
  Unit unit = Unit::none;
  int decimals = 0;  ///< digits after the point, of reals
  std::variant<Integers, Reals, Texts> values;
  int yields = 0;  ///< a terminal without room for all columns leaves out the highest first; 0 stays
};

inline constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

[[nodiscard]] bool is_absent(const Column& column, size_t row);

/// A number as a cell of integers, rounded; kUnknown where it is absent or too large for one.
[[nodiscard]] int64_t integer_cell(std::optional<double> number);

/// Named, typed columns of equal length: what an analysis gives to the renderers.
/// Texts are views: into the Trace, which must outlive the table, or into the table's own store (keep()).
class Table {
 public:
  std::string name;   ///< registered name of the report
  std::string title;  ///< for people
  std::string note;   ///< said below the table, for people
  std::deque<Column> columns;

  [[nodiscard]] size_t rows() const;
  /// Keeps a text for the life of the table.
  std::string_view keep(std::string text) { return store_->emplace_back(std::move(text)); }

  /// Add an empty column and return its values to be filled; the reference stays valid.
  Column::Integers& integers(std::string column_name, Unit unit = Unit::none);
  Column::Reals& reals(std::string column_name, Unit unit, int decimals);
  Column::Texts& texts(std::string column_name);

  /// Takes columns out; indexes ascend.
  void drop_columns(const std::vector<size_t>& indexes);

  /// Puts the rows into the given order; it may name fewer rows than there are.
  void select_rows(const std::vector<Row>& order);

 private:
  std::shared_ptr<std::deque<std::string>> store_ = std::make_shared<std::deque<std::string>>();
};

}  // namespace sonde
