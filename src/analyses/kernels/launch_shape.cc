#include "analyses/kernels/launch_shape.h"

#include <fmt/format.h>

namespace sonde {

std::string_view shape_cell(Table& table, const Dim3& shape) {
  if (!is_known(shape)) return {};
  return table.keep(fmt::format("{:4} {:4} {:4}", shape[0], shape[1], shape[2]));
}

}  // namespace sonde
