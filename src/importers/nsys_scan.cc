#include "importers/nsys_scan.h"

#include <algorithm>

namespace sonde {

TableQuery::TableQuery(const Database&, std::string table, const std::vector<std::string>* columns)
    : table_(std::move(table)), columns_(columns) {}

Cell TableQuery::column(std::initializer_list<std::string_view> names) {
  if (columns_ == nullptr) return {};
  for (const std::string_view name : names) {
    if (std::ranges::find(*columns_, name) == columns_->end()) continue;
    selected_.push_back(quote_identifier(name));
    return {static_cast<int>(selected_.size()) - 1, true};
  }
  return {};
}

std::string TableQuery::sql(int64_t first, int64_t last) const {
  std::string text =
      fmt::format("SELECT {} FROM {}", selected_.empty() ? "1" : fmt::format("{}", fmt::join(selected_, ",")),
                  quote_identifier(table_));
  if (first <= last) text += fmt::format(" WHERE rowid BETWEEN {} AND {}", first, last);
  return text + tail_;
}

}  // namespace sonde
