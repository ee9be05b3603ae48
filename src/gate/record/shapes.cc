#include "gate/record/shapes.h"

#include <algorithm>
#include <tuple>

namespace sonde::gate {

std::vector<KernelShape> joined_shapes(std::vector<KernelShape> shapes) {
  const auto key = [](const KernelShape& s) {
    return std::tie(s.kernel, s.grid, s.block, s.registers_per_thread, s.shared_bytes_per_block,
                    s.local_bytes_per_thread, s.blocks_per_sm, s.theoretical_occupancy_percent);
  };
  std::ranges::sort(shapes, [&](const KernelShape& a, const KernelShape& b) { return key(a) < key(b); });
  std::vector<KernelShape> all;
  for (KernelShape& shape : shapes) {
    if (all.empty() || key(all.back()) != key(shape)) {
      all.push_back(std::move(shape));
    } else {
      all.back().count += shape.count;
    }
  }
  return all;
}

}  // namespace sonde::gate
