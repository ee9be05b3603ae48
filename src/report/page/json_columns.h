#pragma once

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "trace/ids.h"

/// Columns of the page's documents: an array a column, null for what is absent.
namespace sonde {

[[nodiscard]] inline nlohmann::ordered_json number_or_null(std::optional<double> value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers below it are written as such
  if (!value || !std::isfinite(*value)) return nullptr;
  if (std::abs(*value) < kExact && std::trunc(*value) == *value) return static_cast<int64_t>(*value);
  return *value;
}

[[nodiscard]] inline nlohmann::ordered_json known_or_null(int64_t value) {
  return value == kUnknown ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
}

/// `value_of` for each of `rows`.
template <typename Rows, typename ValueOf>
[[nodiscard]] nlohmann::ordered_json json_column(const Rows& rows, ValueOf value_of) {
  auto column = nlohmann::ordered_json::array();
  for (const auto& row : rows) column.push_back(value_of(row));
  return column;
}

}  // namespace sonde
