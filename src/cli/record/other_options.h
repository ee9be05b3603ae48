#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/command.h"
#include "record/record.h"

/// Options that nsys and ncu have and Sonde has not: each is taken, or refused with what does the same here.
namespace sonde::record_cli {

/// What came of those that were typed.
struct OtherOptions {
  std::vector<record::Remark> remarks;  ///< of those that are taken
  std::vector<std::string> words;       ///< the same as words of a command line: "--wait=all"
  std::string refused;                  ///< the first that is not; empty: none
};

/// Adds those of other_options.inc, hidden in the help, whose names the command has not got already: to be called last.
[[nodiscard]] std::shared_ptr<OtherOptions> add_other_options(CommandLine& command);

/// Adds to the remarks. An option that is refused is an error.
[[nodiscard]] Status answer_others(const OtherOptions& options, std::vector<record::Remark>& remarks);

/// What to do instead of such an option, by its name with dashes; empty where it is none.
[[nodiscard]] std::string_view in_place_of_option(std::string_view name);

}  // namespace sonde::record_cli
