#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
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

}  // namespace sonde::record_cli
