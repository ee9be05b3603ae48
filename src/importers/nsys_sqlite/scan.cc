#include "importers/nsys_sqlite/scan.h"

#include <algorithm>

namespace sonde {

TableQuery::TableQuery(std::string table, const std::vector<std::string>* columns)
    : table_(std::move(table)), columns_(columns) {}

Cell TableQuery::column(std::initializer_list<std::string_view> names) {
  if (columns_ == nullptr) return {};
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(*columns_, name);
    if (found == columns_->end()) continue;
    const auto number = static_cast<uint32_t>(found - columns_->begin());
    const auto position = std::ranges::find(selected_, number) - selected_.begin();
    if (static_cast<size_t>(position) == selected_.size()) selected_.push_back(number);
    return {static_cast<int>(position), true};
  }
  return {};
}

std::string TableQuery::sql() const {
  std::vector<std::string> names;
  for (const uint32_t number : selected_) names.push_back(quote_identifier((*columns_)[number]));
  return fmt::format("SELECT {} FROM {}{}", names.empty() ? "1" : fmt::format("{}", fmt::join(names, ",")),
                     quote_identifier(table_), tail_);
}

}  // namespace sonde
