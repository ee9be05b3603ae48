#include "base/files/sqlite_pages.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/sqlite.h"

namespace sonde {
namespace sqlite_pages_test {

/// A database in a file of its own, gone at the end of the test.
class SqlitePagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / fmt::format("sonde_pages_{}.sqlite", getpid());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  void make(const std::string& sql) {
    // Pages of 512 bytes: tables have several levels, and long texts go on in other pages.
    auto database = Database::create(path_.string());
    ASSERT_TRUE(database);
    const Status done = database->execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; " + sql);
    ASSERT_TRUE(done) << done.error().message;
    const auto head = read_head(path_.string(), 18);
    ASSERT_EQ(head->substr(16, 2), std::string("\x02\x00", 2));
  }

  /// Every cell of the first `columns` columns as text, read from the pages.
  std::vector<std::string> by_pages(uint32_t columns, std::optional<uint32_t> rowid_column) {
    const auto file = MappedFile::open(path_.string());
    const auto pages = SqlitePages::open(file->bytes());
    const auto leaves = pages->leaves(root());
    std::vector<uint32_t> numbers(columns);
    for (uint32_t i = 0; i < columns; ++i) numbers[i] = i;
    SqliteRow row(numbers, rowid_column);
    std::vector<std::string> cells;
    for (const uint32_t leaf : *leaves) {
      const Status read = pages->each_row(leaf, row, [&](const SqliteRow& r) { append(cells, r, columns); });
      EXPECT_TRUE(read);
    }
    return cells;
  }

  std::vector<std::string> by_sql(uint32_t columns) {
    const auto database = Database::open_read_only(path_.string());
    auto rows = database->prepare("SELECT * FROM t ORDER BY rowid");
    std::vector<std::string> cells;
    while (*rows->next()) append(cells, *rows, columns);
    return cells;
  }

  uint32_t root() {
    const auto database = Database::open_read_only(path_.string());
    auto rows = database->prepare("SELECT rootpage FROM sqlite_master WHERE name = 't'");
    EXPECT_TRUE(*rows->next());
    return static_cast<uint32_t>(rows->integer(0));
  }

  std::filesystem::path path_;

 private:
  template <typename Source>
  static void append(std::vector<std::string>& cells, const Source& row, uint32_t columns) {
    for (int c = 0; c < static_cast<int>(columns); ++c) {
      cells.push_back(row.is_null(c)   ? "null"
                      : row.is_text(c) ? fmt::format("'{}'", row.text(c))
                                       : fmt::format("{} {}", row.integer(c), row.real(c)));
    }
  }
};

TEST_F(SqlitePagesTest, ReadsWhatSqlReads) {
  make(
      "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, n INTEGER, r REAL, s TEXT);"
      "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < 3000)"
      "INSERT INTO t SELECT x * 7 - 500, CASE x % 9 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN -x"
      "  WHEN 4 THEN x * 65537 WHEN 5 THEN -x * 4294967297 WHEN 6 THEN 9223372036854775807 - x"
      "  WHEN 7 THEN -9223372036854775807 + x ELSE x * 300 END,"
      "  CASE x % 4 WHEN 0 THEN x * 0.5 WHEN 1 THEN x WHEN 2 THEN NULL ELSE -1.25e100 END,"
      "  CASE x % 5 WHEN 0 THEN '' WHEN 1 THEN NULL WHEN 2 THEN printf('%.*c', x * 3 % 4000, 'a') ELSE 'text ' || x END"
      "  FROM i;"
      "ALTER TABLE t ADD COLUMN late INTEGER;"
      "INSERT INTO t (id, late) VALUES (1000000, 42);");
  const auto expected = by_sql(5);
  EXPECT_EQ(expected.size(), 5U * 3002U);
  EXPECT_EQ(by_pages(5, 0), expected);
}

TEST_F(SqlitePagesTest, ReadsAnEmptyTable) {
  make("CREATE TABLE t (a INTEGER)");
  EXPECT_TRUE(by_pages(1, std::nullopt).empty());
}

TEST_F(SqlitePagesTest, NamesThePageThatIsCutOff) {
  make(
      "CREATE TABLE t (a TEXT);"
      "WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < 500) INSERT INTO t SELECT 'row ' || x "
      "FROM i");
  const auto file = MappedFile::open(path_.string());
  const uint32_t table = root();
  const auto pages = SqlitePages::open(file->bytes().substr(0, file->bytes().size() / 2));
  const auto leaves = pages->leaves(table);
  ASSERT_TRUE(leaves);
  SqliteRow row(std::vector<uint32_t>{0}, std::nullopt);
  const Status read = pages->each_row(leaves->back(), row, [](const SqliteRow&) {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, fmt::format("page {} is missing or malformed", leaves->back()));
}

TEST(SqlitePages, RefusesWhatIsNoDatabase) {
  EXPECT_FALSE(SqlitePages::open(""));
  EXPECT_FALSE(SqlitePages::open(std::string(200, 'x')));
}

/// A record: the header's length and types, then the body. A row is read while its record lives.
std::vector<unsigned char> record(std::initializer_list<unsigned char> types,
                                  std::initializer_list<unsigned char> body) {
  std::vector<unsigned char> bytes{static_cast<unsigned char>(types.size() + 1)};
  bytes.insert(bytes.end(), types);
  bytes.insert(bytes.end(), body);
  return bytes;
}

TEST(SqliteRow, AKnownHeaderIsStillCheckedAgainstEachBody) {
  const std::array<uint32_t, 2> columns{0, 1};
  SqliteRow row(columns, std::nullopt);
  const auto first = record({1, 2}, {0xFF, 0x01, 0x02});
  ASSERT_TRUE(row.decode(1, first));
  EXPECT_EQ(row.integer(0), -1);
  EXPECT_EQ(row.integer(1), 0x0102);
  const auto cut = record({1, 2}, {0xFF, 0x01});
  EXPECT_FALSE(row.decode(2, cut));
  const auto last = record({1, 2}, {0x05, 0x80, 0x00});
  ASSERT_TRUE(row.decode(3, last));
  EXPECT_EQ(row.integer(0), 5);
  EXPECT_EQ(row.integer(1), -32768);
}

TEST(SqliteRow, AHeaderThatHasNoRoomIsNotKept) {
  const std::array<uint32_t, 2> columns{0, 1};
  SqliteRow row(columns, std::nullopt);
  const auto first = record({6, 6}, {1, 2, 3});
  EXPECT_FALSE(row.decode(1, first));
  const auto again = record({6, 6}, {1, 2, 3});
  EXPECT_FALSE(row.decode(2, again));
  const auto shorter = record({6}, {0, 0, 0, 0, 0, 0, 1, 0});
  ASSERT_TRUE(row.decode(3, shorter));
  EXPECT_EQ(row.integer(0), 256);
  EXPECT_TRUE(row.is_null(1));
}

TEST(SqliteRow, IntegersOfAllLengths) {
  const std::array<uint32_t, 6> columns{0, 1, 2, 3, 4, 5};
  SqliteRow row(columns, std::nullopt);
  const auto bytes =
      record({3, 4, 5, 8, 9, 7}, {0x80, 0x00, 0x01, 0x80, 0, 0, 2, 0x80, 0, 0, 0, 0, 3, 0xC0, 0x04, 0, 0, 0, 0, 0, 0});
  ASSERT_TRUE(row.decode(1, bytes));
  EXPECT_EQ(row.integer(0), -8388607);
  EXPECT_EQ(row.integer(1), -2147483646);
  EXPECT_EQ(row.integer(2), -140737488355325);
  EXPECT_EQ(row.integer(3), 0);
  EXPECT_EQ(row.integer(4), 1);
  EXPECT_EQ(row.integer(5), -2);
  EXPECT_EQ(row.real(5), -2.5);
}

}  // namespace sqlite_pages_test
}  // namespace sonde
