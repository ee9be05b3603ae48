#pragma once

#include <string>
#include <vector>

#include "record/record.h"

namespace sonde::record {

/// What to tell of a profile: its remarks, but for the first `said`, and where it is.
[[nodiscard]] std::vector<std::string> lines_of(const Profile& profile, size_t said);

[[nodiscard]] std::string line_of(const Remark& remark);

/// Why a collection has no profile: what it waited for did not come, or could not be seen, by `cuda_problems`.
[[nodiscard]] std::string line_of_no_profile(const RoundOptions& options,
                                             const std::vector<std::string>& cuda_problems);

}  // namespace sonde::record
