#include "importers/probe.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include "base/files/file.h"
#include "base/files/sqlite.h"
#include "importers/importer.h"

namespace sonde {
namespace probe_test {

/// A file of the test's own, removed at its end.
class OwnFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  void write(std::string_view bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  void write_database(const std::string& sql) const {
    auto database = Database::create(path_);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute(sql));
  }
  [[nodiscard]] Probe probe() const {
    auto opened = Probe::open(path_);
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }
  /// Of the importer that recognizes the file; empty if none does.
  [[nodiscard]] std::string importer() const {
    const Probe asked = probe();
    for (const Importer& importer : importers()) {
      if (importer.recognizes(asked)) return std::string(importer.name);
    }
    return {};
  }
  [[nodiscard]] bool is_picked() const {
    const Probe asked = probe();
    return std::ranges::any_of(importers(), [&](const Importer& i) { return i.picks(asked); });
  }
  /// What reading the file reports.
  [[nodiscard]] std::string error() const {
    const auto trace = read_run(std::vector{path_}, {});
    return trace ? std::string() : trace.error().message;
  }

  const std::string path_ =
      testing::TempDir() + "probe_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".sqlite";
};

using ProbeOfFile = OwnFile;

TEST_F(ProbeOfFile, HasTheFirstBytes) {
  write(std::string(kHeadBytes + 1, 'x'));
  EXPECT_EQ(probe().head(), std::string(kHeadBytes, 'x'));
  EXPECT_EQ(probe().path(), path_);
  EXPECT_FALSE(probe().is_sqlite());
}

TEST_F(ProbeOfFile, NamesTablesAndViewsOfADatabase) {
  write_database("CREATE TABLE one (a); CREATE VIEW two AS SELECT a FROM one; CREATE INDEX three ON one (a);");
  const Probe asked = probe();
  EXPECT_TRUE(asked.is_sqlite());
  EXPECT_EQ(std::vector(asked.tables().begin(), asked.tables().end()), (std::vector<std::string>{"one", "two"}));
  EXPECT_FALSE(asked.database_error());
}

TEST_F(ProbeOfFile, HasNoTableNamesOfAnotherFile) {
  write("{\"traceEvents\": []}");
  EXPECT_TRUE(probe().tables().empty());
  EXPECT_FALSE(probe().database_error());
}

TEST_F(ProbeOfFile, HasNoTableNamesOfADamagedDatabase) {
  write_database("CREATE TABLE StringIds (id, value);");
  std::string bytes = read_head(path_, 1000).value();
  write(bytes);
  EXPECT_TRUE(probe().tables().empty());
  EXPECT_TRUE(probe().database_error());
  bytes.resize(16);
  write(bytes);
  EXPECT_TRUE(probe().tables().empty());
}

TEST_F(ProbeOfFile, ReadsTheNamesOnce) {
  write_database("CREATE TABLE one (a);");
  const Probe asked = probe();
  const auto* first = asked.tables().data();
  std::filesystem::remove(path_);
  EXPECT_EQ(asked.tables().data(), first);
}

TEST(Probe, FailsForAFileThatDoesNotExist) { EXPECT_FALSE(Probe::open("/nonexistent/file")); }

using DatabaseFormats = OwnFile;

TEST_F(DatabaseFormats, AnyTableOfNsightMakesAnExport) {
  for (const char* table : {"StringIds", "NVTX_EVENTS", "OSRT_API", "CUPTI_ACTIVITY_KIND_KERNEL",
                            "TARGET_INFO_SYSTEM_ENV", "META_DATA_EXPORT"}) {
    write_database(fmt::format("CREATE TABLE {} (id);", table));
    EXPECT_EQ(importer(), "nsys_sqlite") << table;
    EXPECT_TRUE(is_picked());
    std::filesystem::remove(path_);
  }
}

TEST_F(DatabaseFormats, OtherDatabasesAreNotRead) {
  write_database("CREATE TABLE users (id);");
  EXPECT_EQ(importer(), "");
  EXPECT_FALSE(is_picked());
  EXPECT_TRUE(error().contains("is a SQLite database of another program (tables: users), which Sonde does not read; "))
      << error();
}

TEST_F(DatabaseFormats, NvprofHasATableOfTextsOfItsOwn) {
  write_database("CREATE TABLE StringTable (_id_, value); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_);");
  EXPECT_EQ(importer(), "nvprof");
  EXPECT_TRUE(is_picked());
}

TEST_F(DatabaseFormats, RocpdIsRecognizedByItsDispatches) {
  write_database("CREATE TABLE rocpd_kernel_dispatch_8f3a (id);");
  EXPECT_EQ(importer(), "rocpd");
  EXPECT_TRUE(error().contains("a rocpd database whose schema Sonde does not support")) << error();
}

TEST_F(DatabaseFormats, RocprofIsRecognizedByTheColumnsOfItsTables) {
  write_database("CREATE TABLE KERN (\"KernelName\", \"gpu-id\");");
  EXPECT_EQ(importer(), "rocprof");
  std::filesystem::remove(path_);
  write_database("CREATE TABLE KERN (letter);");
  EXPECT_EQ(importer(), "");
}

TEST_F(DatabaseFormats, ProgramsAreNamedByATableOfTheirOwn) {
  write_database("CREATE TABLE urls (id); CREATE TABLE keyword_search_terms (id);");
  EXPECT_TRUE(error().contains(" is the browsing history of Chrome, which Sonde does not read; it reads ")) << error();
}

TEST_F(DatabaseFormats, AViewWithoutEndIsStopped) {
  write_database(
      "CREATE VIEW StringIds AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'a' AS "
      "value "
      "FROM n;");
  const auto trace = read_run(std::vector{path_}, {.fields = Fields::all()});
  ASSERT_TRUE(trace);
}

using PackedFile = OwnFile;

TEST_F(PackedFile, HasItsFirstBytesUnpacked) {
  write("plain");
  EXPECT_EQ(probe().plain_head(), "plain");
  std::filesystem::remove(path_);
  // One block of zstd that is longer than the head, since its bytes do not repeat.
  std::string text;
  uint32_t seed = 1;
  for (int i = 0; i < 50000; ++i) text += static_cast<char>('!' + (seed = seed * 1664525U + 1013904223U) % 90U);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  write(packed);
  EXPECT_EQ(probe().plain_head(), text.substr(0, kHeadBytes));
}

TEST_F(DatabaseFormats, AFolderReportsAnExportThatBrokeOff) {
  write_database("CREATE TABLE StringIds (id, value);");
  write(read_head(path_, 1000).value());
  EXPECT_EQ(importer(), "");
  EXPECT_TRUE(is_picked());
  EXPECT_TRUE(error().contains("cannot be read")) << error();
}

}  // namespace probe_test
}  // namespace sonde
