#pragma once

#include <nlohmann/json.hpp>

#include "trace/trace.h"

namespace sonde {

/// How a profile was taken and what is not in it (Capture of web/src/data/format.ts), and the files of the kernel
/// reports that were joined with it, nullptr for none. Nothing private.
[[nodiscard]] nlohmann::ordered_json capture_json(const Trace& trace, const Trace* reports);

/// What capture_json() reads, as far as it is not read for something else: what it does not read it calls missing.
inline constexpr Fields kCaptureFields{Field::inventory, Field::diagnostics, Field::samples, Field::counters,
                                       Field::allocations};

}  // namespace sonde
