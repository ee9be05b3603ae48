// What real recordings print, against the tables of metrics; in the folder SONDE_TEST_DATA.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/text/decimal.h"
#include "importers/files/csv_records.h"
#include "importers/importer.h"
#include "importers/ncu_csv/header.h"
#include "metrics/catalogue.h"
#include "metrics/display_unit.h"
#include "metrics/sections.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace ncu_recordings_test {

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

/// How many base units are in the printed ones of the recordings, written down apart from what Sonde knows: reading and
/// printing by one wrong table would cancel out.
double factor_in_recordings(std::string_view unit) {
  if (unit == "us") return 1e3;
  if (unit == "Mbyte") return 1e6;
  if (unit == "Gbyte/s" || unit == "Ghz") return 1e9;
  return 1;
}

/// The numbers of a launch in base units, each once: a metric can stand in several sections.
using Numbers = std::map<int64_t, std::set<double>>;

/// Reads the row's value into its base unit and prints it again. Gives the number in its base unit.
std::optional<double> check_row(std::string_view value, std::string_view unit, bool separators, Checked& checked) {
  std::string digits(value);
  std::erase(digits, ',');
  const auto number = real_of(digits);
  if (!number) return std::nullopt;
  const BaseValue base = base_of_unit(unit);
  EXPECT_EQ(base.factor, factor_in_recordings(unit)) << unit;
  const auto units = base.factor == 1 ? PrintUnits::base : PrintUnits::automatic;
  const ShownValue shown = shown_value(*number * base.factor, base.unit, units);
  EXPECT_EQ(separators ? with_separators(shown.value) : shown.value, value) << unit;
  EXPECT_EQ(shown.unit, new_word(unit)) << value;
  ++checked.rows;
  checked.prefixed += base.factor == 1 ? 0 : 1;
  return *number * factor_in_recordings(unit);
}

/// What the import holds of each launch.
Numbers imported_numbers(const std::string& path) {
  Numbers numbers;
  const auto trace = import_run(std::span(&path, 1), {.fields = Fields::all()});
  EXPECT_TRUE(trace) << path;
  if (!trace) return numbers;
  for (const KernelProfile& kernel : trace->kernel_profiles) {
    for (const Metric& metric : kernel.metrics) {
      if (const auto number = metric.value.number()) numbers[kernel.id].insert(*number);
    }
  }
  return numbers;
}

void check_file(const std::string& path, Checked& checked) {
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  CsvRecords records(file->bytes());
  ncu_csv::Record record;
  ncu_csv::Header header{ncu_csv::Record{}};
  const bool separators = !path.ends_with(".log");  // that one was recorded without a locale
  Numbers printed;
  while (records.next(record)) {
    if (ncu_csv::Header::is_one(record)) {
      header = ncu_csv::Header(record);
      continue;
    }
    const auto number = check_row(header.field(record, ncu_csv::Column::value),
                                  header.field(record, ncu_csv::Column::unit), separators, checked);
    const auto id = integer_of<int64_t>(header.field(record, ncu_csv::Column::id));
    if (number && id) printed[*id].insert(*number);
  }
  EXPECT_EQ(imported_numbers(path), printed) << path;
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

/// Two ways to one number within 2 %: the tool rounds, and measures in several passes.
void expect_same(std::optional<double> a, std::optional<double> b, int64_t& compared) {
  constexpr double kTolerance = 0.02;
  if (!a || !b) return;
  EXPECT_NEAR(*a, *b, kTolerance * *b);
  ++compared;
}

std::optional<double> product(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

TEST(NcuRecordings, HoldRatesTimesAndCountsThatAgree) {
  const auto files = all_recordings();
  if (files.empty()) GTEST_SKIP() << "SONDE_TEST_DATA has no ncu_rep and no ncu_csv";
  int64_t cycles = 0;
  int64_t bytes = 0;
  for_each_recording(files, [&](const Trace& trace) {
    for (const KernelProfile& kernel : trace.kernel_profiles) {
      const auto number = [&](std::string_view metric) { return metric_number(trace, kernel, metric); };
      const auto seconds = product(number("gpu__time_duration.sum"), 1e-9);
      expect_same(product(number("gpc__cycles_elapsed.avg.per_second"), seconds), number("gpc__cycles_elapsed.max"),
                  cycles);
      const auto read = number("dram__bytes_read.sum");
      const auto written = number("dram__bytes_write.sum");
      if (!read || !written) continue;
      expect_same(product(number("dram__bytes.sum.per_second"), seconds), *read + *written, bytes);
    }
  });
  fmt::print("{} clocks and {} throughputs\n", cycles, bytes);
  EXPECT_GT(cycles, 0);
  EXPECT_GT(bytes, 0);
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

}  // namespace ncu_recordings_test
}  // namespace sonde
