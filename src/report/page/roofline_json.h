#pragma once

#include <nlohmann/json.hpp>

#include "report/page/kernel_rows.h"

namespace sonde {

/// For each GPU and kind of arithmetic that was executed the roofs, and the rows' places below them (Roofline of
/// web/src/data/format.ts). Of a row's measured launches FLOP, bytes and times are added up first; a roof is the
/// highest that any launch saw, since clocks change.
[[nodiscard]] nlohmann::ordered_json rooflines_json(const KernelRows& rows);

}  // namespace sonde
