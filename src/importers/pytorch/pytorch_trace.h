#pragma once

#include <string>
#include <string_view>

#include "importers/importer.h"

namespace sonde::pytorch {

/// Reads a trace from text in memory: what the importer does once a file is read and inflated. `file` is its name for
/// people. The size of pieces changes only the speed.
[[nodiscard]] Status read_text(std::string_view text, const std::string& file, const ImportRequest& request,
                               Trace& trace);
[[nodiscard]] Status read_text(std::string_view text, const std::string& file, const ImportRequest& request,
                               Trace& trace, size_t piece_bytes);

}  // namespace sonde::pytorch
