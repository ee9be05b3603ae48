#pragma once

#include <string>

#include "trace/events.h"

namespace sonde {

/// A grid or block as `nsys stats` writes it in one cell: "  32    1    1".
[[nodiscard]] std::string shape_text(const Dim3& shape);

}  // namespace sonde
