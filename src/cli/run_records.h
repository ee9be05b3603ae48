#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "gate/record/run_record.h"

namespace sonde {

/// A record of each: a profile that is read, a folder (the ranks of one run), or a record that was kept as JSON. Shows
/// progress on a terminal. The error names the file.
[[nodiscard]] Result<std::vector<gate::RunRecord>> load_records(std::span<const std::string> files);

}  // namespace sonde
