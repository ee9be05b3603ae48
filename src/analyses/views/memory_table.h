#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/tables/table.h"

namespace sonde {

/// A column of numbers of a memory table.
struct MemoryColumn {
  std::string_view name;
  Unit unit = Unit::none;
  int decimals = 0;  ///< 0: integers
};

/// Texts and then numbers a row; a row of which no number was collected is left out.
class MemoryTable {
 public:
  MemoryTable(std::initializer_list<std::string_view> texts, std::initializer_list<MemoryColumn> numbers);

  void add(std::initializer_list<std::string_view> texts, const std::vector<std::optional<double>>& numbers);
  [[nodiscard]] bool is_empty() const { return rows_ == 0; }
  /// The table is spent afterwards.
  [[nodiscard]] Table take(std::string note) &&;

 private:
  Table table_;
  size_t rows_ = 0;
};

}  // namespace sonde
