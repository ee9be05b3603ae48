#pragma once

#include <string>
#include <string_view>

#include "importers/importer.h"

namespace sonde::torch_snapshot {

/// Appends a snapshot as one more rank. Times begin with the history's first entry.
[[nodiscard]] Status read_bytes(std::string_view bytes, const std::string& file, const ImportRequest& request,
                                Trace& trace);

/// Adds a snapshot of one of the last rank's processes to it, on the rank's clock. Allocations have no thread: PyTorch
/// does not record it.
[[nodiscard]] Status add_to_rank(std::string_view bytes, int64_t pid, const Fields& fields, Trace& trace);

}  // namespace sonde::torch_snapshot
