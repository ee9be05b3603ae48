#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <vector>

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

/// Moves the rows of `tail` behind those of `table`. A column that only one of the two has is filled with `absent`
/// values of its type by fill_absent() of the importer; here both must have the same columns or one must be empty.
template <typename Table>
void append_rows(Table& table, Table&& tail) {
  if (table.start.empty()) {
    table = std::move(tail);
    return;
  }
  auto target = table.columns();
  auto source = tail.columns();
  [&]<size_t... I>(std::index_sequence<I...>) {
    (std::get<I>(target).insert(std::get<I>(target).end(), std::get<I>(source).begin(), std::get<I>(source).end()),
     ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(target)>>());
}

template <typename T>
void permute(std::vector<T>& column, std::span<const Row> order) {
  if (column.empty()) return;
  std::vector<T> sorted(column.size());
  for (size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column.swap(sorted);
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

template <typename Table>
void reorder(Table& table, std::span<const Row> order) {
  if (order.empty()) return;
  std::apply([&](auto&... column) { (permute(column, order), ...); }, table.columns());
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
