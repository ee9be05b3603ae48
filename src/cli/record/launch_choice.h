#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

/// Which launches `sonde record --metrics` measures, in its own words and in those of ncu.
namespace sonde::record_cli {

struct LaunchChoice {
  std::string kernel_regex;
  std::string kernel_name;
  int64_t skip = 0;
  int64_t count = 0;                         ///< 0: all
  int64_t each = 0;                          ///< 0: all
  std::vector<std::string> included_ranges;  ///< --nvtx-include
  std::vector<std::string> excluded_ranges;  ///< --nvtx-exclude
  std::string kernel_list;                   ///< --kernels-from
};

void add_launch_choice(CommandLine& command, const std::string& group, LaunchChoice& choice);

/// The first option of them that was given; null: none was.
[[nodiscard]] const char* first_choice(const LaunchChoice& choice);

/// `remarks` gets what may be meant otherwise.
[[nodiscard]] Status choose_launches(record::MeasureRequest& request, const LaunchChoice& choice,
                                     std::vector<record::Remark>& remarks);

}  // namespace sonde::record_cli
