#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "gate/record/run_record.h"

namespace sonde {

/// An error where two of them are the same file or folder, under whatever name: each is a run, and a run counts once.
/// Files that do not exist are passed over.
[[nodiscard]] Status check_named_once(std::span<const std::string> files);

/// A record of each: a profile that is read, a folder (the ranks of one run), or a record that was kept as JSON. Shows
/// progress on a terminal. The error names the file; a file that is named twice is one.
[[nodiscard]] Result<std::vector<gate::RunRecord>> load_records(std::span<const std::string> files);

/// The same for `sonde compare`: profiles are recorded as record_part() does.
[[nodiscard]] Result<std::vector<gate::RunRecord>> load_parts(std::span<const std::string> files, gate::PartOfRun part);

}  // namespace sonde
