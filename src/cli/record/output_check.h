#pragma once

#include "base/error.h"
#include "record/record.h"

namespace sonde::record_cli {

/// Whether the profile that is recorded first can be written, as far as that can be known before: its folder is there,
/// may be written to and has room, and no file of its name is there that may not be replaced.
[[nodiscard]] Status check_output(const record::RoundOptions& round);

}  // namespace sonde::record_cli
