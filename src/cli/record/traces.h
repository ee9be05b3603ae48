#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

/// What nsys can be asked to record, and what of that `sonde record` does.
namespace sonde::record_cli {

struct Traces {
  bool nvtx = false;
  bool os_calls = false;
  bool cuda = false;
  bool python_gil = false;
  std::vector<std::string> libraries;   ///< of NVIDIA's, whose calls are recorded
  std::vector<record::Remark> remarks;  ///< what was asked for and is not recorded
};

/// The names that -t takes. One that nobody knows is an error; one that Sonde does not record yet is a remark.
[[nodiscard]] Result<Traces> read_traces(const std::vector<std::string>& names);

/// For the help: "cuda, nvtx, osrt and none".
[[nodiscard]] std::string trace_help();

/// `--nccl-trace`, with the words of nsys; absent: as -t says.
struct NcclArguments {
  std::vector<std::string> events;
};

void add_nccl_options(CommandLine& command, NcclArguments& arguments);

/// What is asked of NCCL's plugin interface. `traced`: -t names nccl.
[[nodiscard]] Result<record::NcclOptions> nccl_options(const NcclArguments& arguments, bool traced,
                                                       std::vector<record::Remark>& remarks);

/// Whether NCCL can be given the library: a program's own plugin stays. Adds a remark where it cannot.
[[nodiscard]] bool can_load_plugin(const std::string& library, std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
