#pragma once

#include "base/error.h"
#include "record/record.h"

namespace sonde::record_cli {

/// Where CUDA is to be recorded: whether a kernel of our own arrives in a recording, added to the remarks. An error
/// where this process was told to end meanwhile.
[[nodiscard]] Status try_cuda(record::RecordOptions& options);

}  // namespace sonde::record_cli
