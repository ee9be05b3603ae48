#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "record/record.h"

namespace sonde::record_cli {

/// Options of nsys that are taken with the rest of a command line that people have, and change nothing yet.
using OtherOptions = std::vector<std::pair<std::string, std::string>>;  ///< name and value as given

[[nodiscard]] std::shared_ptr<OtherOptions> add_other_options(CLI::App& command);

/// What is not done of them: nothing is said of those that switch something off.
[[nodiscard]] std::vector<record::Remark> remarks_of(const OtherOptions& options);

}  // namespace sonde::record_cli
