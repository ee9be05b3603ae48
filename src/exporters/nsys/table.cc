#include "exporters/nsys/table.h"

namespace sonde::nsys_export {

TableWriter::TableWriter(Database& db, std::string_view table, std::string definition,
                         std::vector<std::string_view> columns)
    : db_(db), table_(table), definition_(std::move(definition)), columns_(std::move(columns)) {}

Status TableWriter::begin_row() {
  if (insert_) return {};
  SONDE_TRY(db_.execute(fmt::format("CREATE TABLE IF NOT EXISTS {} ({})", table_, definition_)));
  std::string marks;
  for (size_t i = 0; i < columns_.size(); ++i) marks += i == 0 ? "?" : ",?";
  auto insert = db_.prepare(fmt::format("INSERT INTO {} ({}) VALUES ({})", table_, fmt::join(columns_, ","), marks));
  if (!insert) return std::unexpected(insert.error());
  insert_.emplace(std::move(*insert));
  return {};
}

void TableWriter::put(size_t column, const Cell& cell) {
  const int parameter = static_cast<int>(column) + 1;
  switch (cell.kind) {
    case Cell::Kind::null: insert_->bind_null(parameter); return;
    case Cell::Kind::integer: insert_->bind(parameter, cell.integer); return;
    case Cell::Kind::real: insert_->bind(parameter, cell.real); return;
    case Cell::Kind::blob: insert_->bind_blob(parameter, cell.text); return;
    case Cell::Kind::text: insert_->bind(parameter, cell.text); return;
  }
}

}  // namespace sonde::nsys_export
