#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "record/record.h"
#include "record/rounds/mapping.h"

namespace sonde::record_cli {

/// The options of nsys for GPU metrics, as given.
struct GpuMetricsArguments {
  std::vector<std::string> devices = {"none"};
  std::optional<int64_t> frequency_hz = {};
  std::vector<std::string> set = {};
};

void add_gpu_metrics_options(CommandLine& command, GpuMetricsArguments& arguments);

/// What they ask for. A word that is none of theirs is an error; what changes nothing is told.
[[nodiscard]] Result<record::GpuMetricsOptions> gpu_metrics_options(const GpuMetricsArguments& arguments,
                                                                    std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
