#pragma once

#include <map>
#include <string>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "importers/importer.h"
#include "importers/ncu_csv/header.h"

namespace sonde::ncu_csv {

/// Builds the measured launches of one file from the records of its tables.
class Kernels {
 public:
  Kernels(const ImportRequest& request, RankId rank, Trace& trace) : request_(request), rank_(rank), trace_(trace) {}

  /// A new table begins: launches are counted from 0 again.
  void begin_table(const Record& record);
  void add(const Record& record);
  /// Sorts metrics and says what the file holds.
  void finish();

 private:
  /// A printed metric: what it is, and what its printed value is multiplied with.
  struct Meaning {
    NameId name = kNone;
    double factor = 1;
    std::string log_detail;  ///< of a label that is not known
  };

  void add_wide(const Record& record);
  void add_long(const Record& record);
  void add_rule(const Record& record, KernelProfile& kernel);
  void add_metric(KernelProfile& kernel, const Meaning& meaning, std::string_view text);
  /// The launch of a record, nullptr where the record does not say which.
  KernelProfile* kernel_of(const Record& record);
  [[nodiscard]] KernelProfile new_kernel(const Record& record, int64_t id);
  DeviceId device_of(const Record& record);
  void add_process(const Record& record, int64_t pid);
  const Meaning& meaning_of(std::string_view section, std::string_view metric, std::string_view unit);
  void show_in_section(KernelProfile& kernel, std::string_view section, std::string_view label, NameId metric);
  /// Row of Trace::profile_sections.
  uint32_t section_row(std::string_view title);
  [[nodiscard]] std::string_view field(const Record& record, Column column) const;

  const ImportRequest& request_;
  RankId rank_;
  Trace& trace_;
  Header header_{Record{}};
  Record units_;                                           ///< of the raw page
  std::map<std::pair<int64_t, int64_t>, size_t> kernels_;  ///< by process and number, in this table
  std::map<std::pair<int64_t, std::string>, DeviceId> devices_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::string, uint32_t, std::less<>> sections_;
  boost::unordered_flat_map<std::string, Meaning> meanings_;
  std::map<std::string, int64_t, std::less<>> holds_;
  size_t first_kernel_ = trace_.kernel_profiles.size();
};

}  // namespace sonde::ncu_csv
