#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

/// What of CUDA is recorded, in nsys' words.
namespace sonde::record_cli {

struct CudaArguments {
  bool memory = false;
  bool cpu_page_faults = false;
  bool gpu_page_faults = false;
  bool all_apis = false;
  bool finalize = false;
  std::string event_times = "false";
  std::string graphs = "graph";
  std::vector<std::string> back_traces = {"none"};
  uint32_t flush_ms = 1000;
};

/// `arguments` must outlive the command.
void add_cuda_options(CommandLine& command, CudaArguments& arguments);

/// As the injected library takes them. What nsys would do and Sonde does not is added to the remarks.
[[nodiscard]] Result<wire::CudaWanted> cuda_options(const CudaArguments& arguments,
                                                    std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
