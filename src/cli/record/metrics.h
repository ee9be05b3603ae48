#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

/// What `sonde record` measures of kernels, in its own words and in those of ncu.
namespace sonde::record_cli {

struct MetricOptions {
  std::vector<std::string> metrics;   ///< --metrics
  std::vector<std::string> sets;      ///< --set
  std::vector<std::string> sections;  ///< --section
  std::string kernel_regex;
  std::string kernel_name;
  int64_t skip = 0;
  int64_t count = 0;                         ///< 0: all
  int64_t each = 0;                          ///< 0: all
  std::vector<std::string> included_ranges;  ///< --nvtx-include
  std::vector<std::string> excluded_ranges;  ///< --nvtx-exclude
  std::string kernel_list;                   ///< --kernels-from
  std::string sampling_interval = "auto";    ///< as ncu has it
  bool instruction_counts = false;           ///< --instruction-counts
  std::string replay_mode = "kernel";
  std::string target_processes = "all";
  std::vector<std::pair<std::string, std::string>> others;  ///< options of ncu that are answered: name and answer
};

[[nodiscard]] std::shared_ptr<MetricOptions> add_metric_options(CLI::App& command);

/// What is asked for; absent where no metric is. `remarks` gets what is done otherwise than asked.
[[nodiscard]] Result<std::optional<record::MeasureRequest>> measure_request(const MetricOptions& options,
                                                                            std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
