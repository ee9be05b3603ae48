#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace sonde::record {

/// Makes the profile of a spool that a recorder left: it was killed, or had no room for the profile. The file stays.
/// An error: no such file, none of ours, or one that a recorder still writes.
[[nodiscard]] Result<Profile> recover(const std::string& spool_path, const RoundOptions& options);

/// Tells of what killed recorders left beside this output.
[[nodiscard]] std::vector<std::string> lines_of_left_spools(const std::string& output);

}  // namespace sonde::record
