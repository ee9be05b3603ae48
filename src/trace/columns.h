#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/files/huge_pages.h"
#include "trace/ids.h"

/// What every event table of the model can do. A table is a struct of vectors with a member
/// `columns()` that ties them all, and a first column `start`. A column that was not read is empty.
namespace sonde {

template <typename Table>
[[nodiscard]] size_t row_count(const Table& table) {
  return table.start.size();
}

/// Bytes that one row takes: the widths of the columns that are there.
template <typename Table>
[[nodiscard]] size_t bytes_per_row(const Table& table) {
  size_t bytes = 0;
  std::apply([&](const auto&... column) { ((bytes += column.empty() ? 0 : sizeof(column.front())), ...); },
             table.columns());
  return bytes;
}

/// The value that a column of this type has where its source gave none.
template <typename T>
[[nodiscard]] constexpr T absent_value() {
  if constexpr (std::is_same_v<T, int64_t>) {
    return kUnknown;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return kUnknown32;
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::numeric_limits<T>::quiet_NaN();
  } else if constexpr (std::is_unsigned_v<T>) {
    return std::numeric_limits<T>::max();
  } else {
    return T{};
  }
}

/// A row's value in a column that the source may not have.
template <typename T>
[[nodiscard]] T value_or_absent(const std::vector<T>& column, size_t row) {
  return column.empty() ? absent_value<T>() : column[row];
}

/// Appends `tail` to `column`, which has `rows` rows before and `total` after; a side without the column is absent.
template <typename T>
void append_column(std::vector<T>& column, std::vector<T>&& tail, size_t rows, size_t total) {
  if (column.empty() && tail.empty()) return;
  if (rows == 0) {
    column = std::move(tail);
  } else {
    column.resize(rows, absent_value<T>());
    column.insert(column.end(), tail.begin(), tail.end());
  }
  column.resize(total, absent_value<T>());
}

/// Moves the rows of `tail` behind those of `table`. A column that only one of the two has is absent in the other.
template <typename Table>
// NOLINTNEXTLINE(cppcoreguidelines-rvalue-reference-param-not-moved): its columns are moved, one by one.
void append_rows(Table& table, std::type_identity_t<Table>&& tail) {
  const size_t rows = table.start.size();
  const size_t total = rows + tail.start.size();
  auto target = table.columns();
  auto source = tail.columns();
  [&]<size_t... I>(std::index_sequence<I...>) {
    (append_column(std::get<I>(target), std::move(std::get<I>(source)), rows, total), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(target)>>());
}

/// Makes room for `rows` rows, whose memory comes as fast as it can.
template <typename T>
void reserve_column(std::vector<T>& column, size_t rows) {
  if (rows <= column.capacity()) return;
  std::vector<T> larger;
  larger.reserve(rows);
  prefer_huge_pages(larger.data(), rows * sizeof(T));
  larger.assign(column.begin(), column.end());
  column = std::move(larger);
}

/// Makes room for `rows` rows in the columns that have any.
template <typename Table>
void reserve_rows(Table& table, size_t rows) {
  std::apply([&](auto&... column) { ((column.empty() ? void() : reserve_column(column, rows)), ...); },
             table.columns());
}

/// Takes all rows away, and keeps their memory.
template <typename Table>
void clear_rows(Table& table) {
  std::apply([](auto&... column) { (column.clear(), ...); }, table.columns());
}

template <typename T>
void permute(std::vector<T>& column, std::span<const Row> order) {
  if (column.empty()) return;
  std::vector<T> sorted;
  reserve_column(sorted, order.size());
  sorted.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column.swap(sorted);
}

/// Keeps the rows that `order` names, in that order.
template <typename Table>
void select_rows(Table& table, std::span<const Row> order) {
  std::apply([&](auto&... column) { (permute(column, order), ...); }, table.columns());
}

/// The order that sorts rows by `before(a, b)`, equal rows staying in the order they came in; empty if they are sorted.
template <typename Before>
[[nodiscard]] std::vector<Row> sorted_order(size_t rows, Before before) {
  bool sorted = true;
  for (size_t i = 1; sorted && i < rows; ++i) sorted = !before(static_cast<Row>(i), static_cast<Row>(i - 1));
  std::vector<Row> order;
  if (sorted) return order;
  order.resize(rows);
  std::iota(order.begin(), order.end(), Row{0});
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

/// Puts all rows into an order that sorted_order() gave.
template <typename Table>
void reorder(Table& table, std::span<const Row> order) {
  if (!order.empty()) select_rows(table, order);
}

template <typename Table>
void sort_by_start(Table& table) {
  reorder(table, sorted_order(row_count(table), [&](Row a, Row b) { return table.start[a] < table.start[b]; }));
}

/// Sorts by start and, of those that start together, the longest first: the order in which nested ranges open.
template <typename Table>
void sort_by_nesting(Table& table) {
  reorder(table, sorted_order(row_count(table), [&](Row a, Row b) {
            if (table.start[a] != table.start[b]) return table.start[a] < table.start[b];
            return table.end[a] > table.end[b];
          }));
}

}  // namespace sonde
