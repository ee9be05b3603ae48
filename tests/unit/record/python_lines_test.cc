#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "record/python/line_table.h"

namespace sonde::record::python {
namespace python_lines_test {

struct Row {
  int minor;
  int32_t first_line;
  std::string table;
  std::vector<std::pair<int64_t, int32_t>> starts;
};

const std::vector<Row>& rows() {
#define SONDE_PYTHON_EXPAND(...) __VA_ARGS__
#define SONDE_PYTHON_LINES(minor, first_line, table, starts) Row{minor, first_line, table, SONDE_PYTHON_EXPAND starts},
  static const std::vector<Row> all = {
#include "python_line_tables.inc"
  };
#undef SONDE_PYTHON_LINES
#undef SONDE_PYTHON_EXPAND
  return all;
}

std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(PythonLines, AreThoseThatEachVersionTellsItself) {
  std::vector<int> minors;
  for (const Row& row : rows()) {
    minors.push_back(row.minor);
    const auto table = bytes_of(row.table);
    for (size_t i = 0; i < row.starts.size(); ++i) {
      const auto [offset, line] = row.starts[i];
      const int64_t next = i + 1 < row.starts.size() ? row.starts[i + 1].first : offset + 2;
      for (int64_t at = offset; at < next; at += 2) {
        EXPECT_EQ(line_of(row.minor, table, row.first_line, at), line) << "3." << row.minor << " at " << at;
      }
    }
  }
  EXPECT_EQ(minors.front(), 8);
  EXPECT_EQ(minors.back(), 13);
  EXPECT_EQ(minors.size(), 6 * 5U);
}

TEST(PythonLines, BeforeTheFirstInstructionAreTheFirst) {
  for (const Row& row : rows()) {
    EXPECT_EQ(line_of(row.minor, bytes_of(row.table), row.first_line, -2), row.first_line);
  }
}

TEST(PythonLines, OfDamagedTablesAreSomeOrNone) {
  for (const int minor : {9, 10, 11, 13}) {
    for (const std::string hex : {"", "ff", "f0", "f0ffff", "ffffffffff", "f8bfbfbfbfbfbfbf", "80"}) {
      EXPECT_GE(line_of(minor, bytes_of(hex), 1, 100), 0) << hex;
      EXPECT_GE(line_of(minor, bytes_of(hex), -5, 100), 0) << hex;
    }
  }
}

}  // namespace python_lines_test
}  // namespace sonde::record::python
