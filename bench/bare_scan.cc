// bare_scan FILE.sqlite TABLE COLUMN[,COLUMN...] [TABLE COLUMNS]...: steps over the tables with SQLite's C interface on
// one connection and only fetches the columns. No importer that uses SQLite can be faster on one core.

#include <algorithm>

#include <fmt/format.h>

#include "base/files/sqlite.h"

namespace sonde {
namespace {

/// Adds up what is fetched, so that nothing of it can be left out.
Result<int64_t> scan(const Database& database, const std::string& table, const std::string& columns) {
  auto statement = database.prepare(fmt::format("SELECT {} FROM {}", columns, quote_identifier(table)));
  if (!statement) return std::unexpected(statement.error());
  const auto count = static_cast<int>(std::ranges::count(columns, ',')) + 1;
  int64_t sum = 0;
  for (;;) {
    const auto row = statement->next();
    if (!row) return std::unexpected(row.error());
    if (!*row) return sum;
    for (int column = 0; column < count; ++column) sum += statement->integer(column);
  }
}

int run(int argc, char** argv) {
  const auto database = Database::open_read_only(argv[1]);
  if (!database) return 1;
  for (int i = 2; i + 1 < argc; i += 2) {
    const auto sum = scan(*database, argv[i], argv[i + 1]);
    if (!sum) {
      fmt::print(stderr, "bare_scan: {}\n", sum.error().message);
      return 1;
    }
    fmt::print("{} {}\n", argv[i], *sum);
  }
  return 0;
}

}  // namespace
}  // namespace sonde

int main(int argc, char** argv) { return argc < 4 ? 2 : sonde::run(argc, argv); }
