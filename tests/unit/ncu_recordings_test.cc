// What real recordings print, against the tables of metrics; in the folder SONDE_TEST_DATA.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

#include <gtest/gtest.h>

#include "base/decimal.h"
#include "base/file.h"
#include "importers/csv_records.h"
#include "importers/importer.h"
#include "importers/ncu_csv_header.h"
#include "metrics/catalogue.h"
#include "metrics/display_unit.h"
#include "metrics/sections.h"
#include "report/quantity.h"

namespace sonde {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> recordings(const char* folder) {
  std::vector<std::string> found;
  const char* data = std::getenv("SONDE_TEST_DATA");  // NOLINT(concurrency-mt-unsafe): a test has one thread
  if (data == nullptr) return found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(data) / folder, error)) {
    found.push_back(entry.path().string());
  }
  return found;
}

/// Units before 2024 were written out; what is shown is the new word.
std::string new_word(std::string_view unit) {
  const size_t at = unit.find("second");
  return at == std::string_view::npos ? std::string(unit) : std::string(unit.substr(0, at)) + "s";
}

struct Checked {
  int64_t rows = 0;
  int64_t prefixed = 0;  ///< rows whose unit is not a base unit
};

/// Reads the row's value into its base unit and prints it again.
void check_row(std::string_view value, std::string_view unit, bool separators, Checked& checked) {
  std::string digits(value);
  std::erase(digits, ',');
  const auto number = real_of(digits);
  if (!number) return;
  const BaseValue base = base_of_unit(unit);
  const auto units = base.factor == 1 ? PrintUnits::base : PrintUnits::automatic;
  const ShownValue shown = shown_value(*number * base.factor, base.unit, units);
  EXPECT_EQ(separators ? with_separators(shown.value) : shown.value, value) << unit;
  EXPECT_EQ(shown.unit, new_word(unit)) << value;
  ++checked.rows;
  checked.prefixed += base.factor == 1 ? 0 : 1;
}

void check_file(const std::string& path, Checked& checked) {
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  CsvRecords records(file->bytes());
  ncu_csv::Record record;
  ncu_csv::Header header{ncu_csv::Record{}};
  const bool separators = !path.ends_with(".log");  // that one was recorded without a locale
  while (records.next(record)) {
    if (ncu_csv::Header::is_one(record)) {
      header = ncu_csv::Header(record);
      continue;
    }
    check_row(header.field(record, ncu_csv::Column::value), header.field(record, ncu_csv::Column::unit), separators,
              checked);
  }
}

TEST(NcuRecordings, ValuesArePrintedAsNcuPrintsThem) {
  const auto files = recordings("ncu_csv");
  if (files.empty()) GTEST_SKIP() << "SONDE_TEST_DATA has no ncu_csv";
  Checked checked;
  for (const std::string& path : files) check_file(path, checked);
  fmt::print("{} values, {} of them with a prefixed unit\n", checked.rows, checked.prefixed);
  EXPECT_GT(checked.rows, 0);
}

/// The files of both folders; empty where SONDE_TEST_DATA has neither.
std::vector<std::string> all_recordings() {
  auto files = recordings("ncu_rep");
  std::ranges::copy(recordings("ncu_csv"), std::back_inserter(files));
  return files;
}

/// Calls `check(trace)` for each recording that can be read; says which cannot.
void for_each_recording(std::span<const std::string> files, const auto& check) {
  for (const std::string& path : files) {
    const auto trace = import_run(std::span(&path, 1), {.fields = Fields::all()});
    if (trace) {
      check(*trace);
    } else {
      fmt::print("left out: {}\n", trace.error().message);
    }
  }
}

TEST(NcuRecordings, HoldOnlyMetricsThatTheCatalogueKnows) {
  const auto files = all_recordings();
  if (files.empty()) GTEST_SKIP() << "SONDE_TEST_DATA has no ncu_rep and no ncu_csv";
  int64_t metrics = 0;
  for_each_recording(files, [&](const Trace& trace) {
    for (const KernelProfile& kernel : trace.kernel_profiles) {
      for (const Metric& metric : kernel.metrics) {
        EXPECT_TRUE(describe_metric(trace.name(metric.name))) << trace.name(metric.name);
      }
      metrics += static_cast<int64_t>(kernel.metrics.size());
    }
  });
  fmt::print("{} metrics of launches\n", metrics);
  EXPECT_GT(metrics, 0) << "none of " << files.size() << " files has a metric";
}

TEST(NcuRecordings, LabelsOfReportsAreThoseOfTheTables) {
  if (recordings("ncu_rep").empty()) GTEST_SKIP() << "SONDE_TEST_DATA has no ncu_rep";
  const auto files = all_recordings();
  int64_t labels = 0;
  for_each_recording(files, [&](const Trace& trace) {
    for (const ProfileSection& section : trace.profile_sections) {
      if (find_section(trace.name(section.id)) == nullptr) continue;
      for (const SectionMetric& m : section.header) {
        EXPECT_EQ(metric_of_label(trace.name(section.id), trace.name(m.label)), trace.name(m.metric));
      }
      labels += static_cast<int64_t>(section.header.size());
    }
  });
  fmt::print("{} labels\n", labels);
  EXPECT_GT(labels, 0) << "none of " << files.size() << " files has a section that is known";
}

}  // namespace
}  // namespace sonde
