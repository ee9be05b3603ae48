#include "analyses/launch_shape.h"

#include <fmt/format.h>

namespace sonde {

std::string shape_text(const Dim3& shape) { return fmt::format("{:4} {:4} {:4}", shape[0], shape[1], shape[2]); }

}  // namespace sonde
