#pragma once

#include <string_view>

#include "analyses/tables/table.h"
#include "trace/events.h"

namespace sonde {

/// A launch has at least one block of one thread: an extent of 0 says that the recorder did not tell.
[[nodiscard]] inline bool is_known(const Dim3& shape) { return shape[0] != 0; }

/// A grid or block as `nsys stats` writes it in one cell, "  32    1    1", kept by the table; absent where not known.
[[nodiscard]] std::string_view shape_cell(Table& table, const Dim3& shape);

}  // namespace sonde
