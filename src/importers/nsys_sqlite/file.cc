#include "importers/nsys_sqlite/file.h"

#include <algorithm>

#include "base/files/file.h"
#include "importers/files/not_a_profile.h"
#include "trace/align.h"

namespace sonde {
NsysFile::NsysFile(Database database, MappedFile bytes, const std::string& path, const ImportRequest& request,
                   Trace& trace, const SqliteDialect& dialect)
    : NsysRun(path, dialect.format, request, trace),
      dialect_(dialect),
      database_(std::move(database)),
      bytes_(std::move(bytes)),
      pages_(SqlitePages::open(bytes_.bytes())) {}

Result<NsysFile> NsysFile::open(const std::string& path, const ImportRequest& request, Trace& trace,
                                const SqliteDialect& dialect) {
  const auto cut_off = [&](const Error& error) { return std::unexpected(unreadable_database(path, error)); };
  auto database = Database::open_read_only(path);
  if (!database) return cut_off(database.error());
  const auto tables = database->tables();
  if (!tables) return cut_off(tables.error());
  auto bytes = MappedFile::open(path);
  if (!bytes) return std::unexpected(bytes.error());
  NsysFile file(std::move(*database), std::move(*bytes), path, request, trace, dialect);
  for (const std::string& table : *tables) {
    auto columns = file.database_.columns(table);
    if (!columns) return cut_off(columns.error());
    file.tables_.emplace(table, std::move(*columns));
  }
  return file;
}

bool NsysFile::has_rows(std::string_view table) const {
  if (!has_table(table)) return false;
  auto statement = database_.prepare(fmt::format("SELECT 1 FROM {} LIMIT 1", quote_identifier(table)));
  return statement && statement->next().value_or(false);
}

TableQuery NsysFile::query(std::string_view table) const {
  const auto found = tables_.find(table);
  return {std::string(table), found == tables_.end() ? nullptr : &found->second};
}

namespace {

/// What a table's declaration must not hold for its records to have its columns in their order.
bool is_plain_table(std::string declaration) {
  std::ranges::transform(declaration, declaration.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return declaration.find("WITHOUT") == std::string::npos && declaration.find("GENERATED") == std::string::npos &&
         declaration.find("VIRTUAL") == std::string::npos && declaration.find("DEFAULT") == std::string::npos &&
         declaration.find(" AS ") == std::string::npos;
}

/// The column that is another name of the rowid: the only column of the primary key, if its type is INTEGER.
std::optional<uint32_t> rowid_column(const Database& database, const std::string& table) {
  auto keys = database.prepare("SELECT cid, upper(type) FROM pragma_table_info(?) WHERE pk > 0");
  if (!keys) return std::nullopt;
  keys->bind(1, table);
  std::optional<uint32_t> column;
  for (int count = 0; keys->next().value_or(false); ++count) {
    if (count > 0 || keys->text(1) != "INTEGER") return std::nullopt;
    column = static_cast<uint32_t>(keys->integer(0));
  }
  return column;
}

}  // namespace

std::optional<NsysFile::Place> NsysFile::place_of(const TableQuery& query) {
  if (!pages_ || query.is_ordered()) return std::nullopt;
  auto table = database_.prepare("SELECT rootpage, sql FROM sqlite_master WHERE type = 'table' AND name = ?");
  if (!table) return std::nullopt;
  table->bind(1, query.table());
  if (!table->next().value_or(false) || !is_plain_table(std::string(table->text(1)))) return std::nullopt;
  auto leaves = pages_->leaves(static_cast<uint32_t>(table->integer(0)));
  if (leaves) return Place{std::move(*leaves), rowid_column(database_, query.table())};
  note(query, {0, 0, leaves.error().message});
  return Place{};
}

std::optional<int64_t> NsysFile::first_time(std::span<const TimeColumn> columns) const {
  std::optional<int64_t> first;
  for (const auto& [table, column] : columns) {
    const auto found = tables_.find(table);
    if (found == tables_.end() || std::ranges::find(found->second, column) == found->second.end()) continue;
    auto row = database_.prepare(fmt::format("SELECT min({0}) FROM {1} WHERE {0} > 0 AND typeof({0}) = 'integer'",
                                             quote_identifier(column), quote_identifier(table)));
    if (!row || !row->next().value_or(false) || row->is_null(0)) continue;
    first = std::min(first.value_or(row->integer(0)), row->integer(0));
  }
  return first;
}

void NsysFile::begin_at_zero(const std::vector<size_t>& first, std::span<const TimeColumn> columns) {
  const auto start = first_time(columns);
  if (!start) return;
  shift_last_rank(trace(), first, -*start);
  trace().ranks[rank()].utc_ns = utc_of_clock(start);
}

void NsysFile::note(const TableQuery& query, const ScanEnd& end) {
  trace().log.add(Issue::not_a_number, query.table(), end.wrong_types);
  if (!end.damage.empty()) trace().log.add(Issue::damaged_table, fmt::format("{}: {}", query.table(), end.damage));
}

void NsysFile::resolve_names() {
  NsysRun::resolve_names([this](const auto& take) {
    TableQuery strings = query(dialect_.strings);
    if (!strings.exists()) return;
    const Cell id = strings.column(dialect_.string_id);
    const Cell value = strings.column(dialect_.string_value);
    each_row(strings, [&](auto& row) { take(row.string_id(id), row.text(value)); });
  });
}

}  // namespace sonde
