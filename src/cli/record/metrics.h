#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/record/launch_choice.h"
#include "record/record.h"

/// What `sonde record` measures of kernels, in its own words and in those of ncu.
namespace sonde::record_cli {

struct MetricOptions {
  std::vector<std::string> metrics;   ///< --metrics
  std::vector<std::string> sets;      ///< --set
  std::vector<std::string> sections;  ///< --section
  LaunchChoice launches;
  std::string sampling_interval = "auto";  ///< as ncu has it
  bool instruction_counts = false;         ///< --instruction-counts
  std::string replay_mode = "kernel";
  std::string target_processes = "all";
};

[[nodiscard]] std::shared_ptr<MetricOptions> add_metric_options(CommandLine& command);

/// What is asked for; absent where no metric is. `remarks` gets what is done otherwise than asked.
[[nodiscard]] Result<std::optional<record::MeasureRequest>> measure_request(const MetricOptions& options,
                                                                            std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
