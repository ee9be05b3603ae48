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
/// The same for the bytes of a file, which gzip or zstd may have packed.
[[nodiscard]] Status read_packed(std::string_view bytes, const std::string& file, const ImportRequest& request,
                                 Trace& trace);

/// True where a text begins like a trace and has a key of which every trace has one early, and other JSON has none.
[[nodiscard]] bool is_surely_a_trace(std::string_view head);

}  // namespace sonde::pytorch
