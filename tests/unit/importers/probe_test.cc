#include "importers/probe.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/files/sqlite.h"
#include "importers/importer.h"

namespace sonde {
namespace probe_test {

/// A file of the test's own, removed at its end.
class OwnFile : public testing::Test {
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
  EXPECT_TRUE(error().contains("not an Nsight Systems export (its tables begin with users)")) << error();
}

TEST_F(DatabaseFormats, ADatabaseOfNvprofIsNamed) {
  write_database("CREATE TABLE StringTable (_id_, value); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_);");
  EXPECT_EQ(importer(), "");
  EXPECT_FALSE(is_picked());
  EXPECT_EQ(error(),
            path_ + " is a database of nvprof or the NVIDIA Visual Profiler; Sonde does not read this format yet");
}

TEST_F(DatabaseFormats, ADatabaseOfRocpdIsNamed) {
  write_database("CREATE TABLE rocpd_string_8f3a (id); CREATE VIEW rocpd_string AS SELECT * FROM rocpd_string_8f3a;");
  EXPECT_EQ(importer(), "");
  EXPECT_EQ(error(), path_ + " is a rocpd database of AMD's rocprofv3; Sonde does not read this format yet");
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
