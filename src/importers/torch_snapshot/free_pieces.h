#pragma once

#include <cstdint>
#include <map>

#include "importers/torch_snapshot/snapshot.h"

namespace sonde::torch_snapshot {

/// Which memory of a device an allocator holds and has not given out, at the end of a history and, one entry after the
/// other undone, before.
class FreePieces {
 public:
  explicit FreePieces(const OfDevice& device);

  void undo(const Entry& entry);

  /// The largest piece in one segment. Blocks that are gone by the end have the size that was requested, rounded up as
  /// the allocator rounds it (512 bytes): they may have been larger, so the piece is at most this large.
  [[nodiscard]] int64_t largest() const;

 private:
  using Intervals = std::map<int64_t, int64_t>;  ///< address -> bytes; no two overlap
  static void remove(Intervals& intervals, int64_t address, int64_t bytes);

  Intervals segments_;
  Intervals taken_;
};

}  // namespace sonde::torch_snapshot
