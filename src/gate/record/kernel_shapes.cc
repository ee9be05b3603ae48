#include <algorithm>
#include <array>
#include <span>
#include <tuple>

#include "analyses/kernels/launch_occupancy.h"
#include "analyses/tables/grouping.h"
#include "gate/record/run_part.h"
#include "gate/record/shapes.h"
#include "trace/columns.h"

namespace sonde::gate {
namespace {

/// All that tells launches apart, beside the stream's GPU, in one piece: a launch each is looked up.
struct ShapeKey {
  std::array<uint32_t, 16> words{};

  friend bool operator==(const ShapeKey&, const ShapeKey&) = default;
  friend size_t hash_value(const ShapeKey& key) { return boost::hash_range(key.words.begin(), key.words.end()); }
};

uint32_t word(const Ints& column, Row row) { return static_cast<uint32_t>(value_or_absent(column, row)); }

ShapeKey key_of(const RunPart& part, Row row) {
  const Kernels& k = part.trace.kernels;
  const Dim3 grid = k.grid.empty() ? Dim3{} : k.grid[row];
  const Dim3 block = k.block.empty() ? Dim3{} : k.block[row];
  const Dim3 cluster = k.cluster.empty() ? Dim3{} : k.cluster[row];
  return {{k.name[row], grid[0], grid[1], grid[2], block[0], block[1], block[2], word(k.registers, row),
           word(k.static_shared_bytes, row), word(k.dynamic_shared_bytes, row), word(k.shared_bytes, row),
           word(k.local_bytes_per_thread, row), word(k.shared_bytes_executed, row),
           cluster[0] * 64 + cluster[1] * 8 + cluster[2],  // of 16 blocks at most
           part.gpus.of_stream[k.stream[row]], 0}};
}

KernelShape shape_of(const RunPart& part, Row row, int64_t count) {
  const Kernels& k = part.trace.kernels;
  KernelShape shape;
  shape.kernel = part.trace.name(k.name[row]);
  if (!k.grid.empty()) shape.grid = k.grid[row];
  if (!k.block.empty()) shape.block = k.block[row];
  shape.count = count;
  const LaunchResources resources = resources_of_row(part.trace, row);
  shape.registers_per_thread = resources.registers_per_thread;
  shape.shared_bytes_per_block = resources.shared_bytes;
  const int32_t local = value_or_absent(k.local_bytes_per_thread, row);
  if (local >= 0) shape.local_bytes_per_thread = local;
  if (const auto found = occupancy_of_row(part.trace, row)) {
    shape.blocks_per_sm = found->occupancy.blocks_per_sm;
    shape.theoretical_occupancy_percent = found->occupancy.percent;
  }
  return shape;
}

}  // namespace

std::vector<KernelShape> kernel_shapes(const RunPart& part) {
  const Kernels& k = part.trace.kernels;
  Grouping<ShapeKey> keys;
  Ids last(part.trace.names.size(), kNone);  // a kernel mostly comes as it did before
  std::vector<std::pair<Row, int64_t>> groups;
  for (Row row = 0; row < row_count(k); ++row) {
    if (!part.holds(part.launched_at(k, row))) continue;
    const ShapeKey key = key_of(part, row);
    uint32_t& group = last[k.name[row]];
    if (group == kNone || keys.keys()[group] != key) group = keys.group_of(key);
    if (group == groups.size()) groups.emplace_back(row, 0);
    ++groups[group].second;
  }
  std::vector<KernelShape> shapes;
  for (const auto& [row, count] : groups) shapes.push_back(shape_of(part, row, count));
  return joined_shapes(std::move(shapes));
}

}  // namespace sonde::gate
