#include "importers/torch_snapshot/free_pieces.h"

#include <algorithm>
#include <iterator>

namespace sonde::torch_snapshot {
namespace {

/// kMinBlockSize of PyTorch's CUDACachingAllocator.
int64_t rounded(int64_t bytes) { return (bytes + 511) / 512 * 512; }

}  // namespace

FreePieces::FreePieces(const OfDevice& device) {
  for (const Segment& segment : device.segments) {
    segments_[segment.address] = segment.bytes;
    for (const Block& block : segment.blocks) {
      if (block.allocated || block.waits) taken_[block.address] = block.bytes;
    }
  }
}

/// An expandable segment is mapped piece by piece: what goes may be a part of an interval.
void FreePieces::remove(Intervals& intervals, int64_t address, int64_t bytes) {
  auto found = intervals.upper_bound(address);
  if (found == intervals.begin()) return;
  --found;
  const auto [start, size] = *found;
  const int64_t before = address - start;
  if (before >= size) return;
  intervals.erase(found);
  if (before > 0) intervals[start] = before;
  if (const int64_t after = size - before - bytes; after > 0) intervals[address + bytes] = after;
}

void FreePieces::undo(const Entry& entry) {
  switch (entry.action) {
    case Action::alloc: taken_.erase(entry.address); break;
    case Action::free_completed: taken_[entry.address] = rounded(entry.bytes); break;
    case Action::segment_alloc:
    case Action::segment_map: remove(segments_, entry.address, entry.bytes); break;
    case Action::segment_free:
    case Action::segment_unmap: segments_[entry.address] = entry.bytes; break;
    default: break;
  }
}

int64_t FreePieces::largest() const {
  int64_t largest = 0;
  for (const auto& [address, bytes] : segments_) {
    const int64_t end = address + bytes;
    int64_t free_from = address;
    for (auto block = taken_.lower_bound(address); block != taken_.end() && block->first < end; ++block) {
      largest = std::max(largest, block->first - free_from);
      free_from = std::max(free_from, block->first + block->second);
    }
    largest = std::max(largest, end - free_from);
  }
  return largest;
}

}  // namespace sonde::torch_snapshot
